//! What somebody gets who has the formulas alone.

use serde_json::{Value, json};

use super::file;

/// The formulas, without the code they are checked against.
mod bare {
    use sha2::{Digest as _, Sha256};

    pub(super) fn sha256(parts: &[&[u8]]) -> Vec<u8> {
        parts.iter().fold(Sha256::new(), sha2::Digest::chain_update).finalize().to_vec()
    }

    pub(super) fn leaf(kind: &str, text: &str) -> Vec<u8> {
        sha256(&[b"\0countersign/v2/", kind.as_bytes(), b"\0", text.as_bytes()])
    }

    /// RFC 9162: the left part is the largest power of two below the number of leaves.
    pub(super) fn root(leaves: &[Vec<u8>]) -> Vec<u8> {
        match leaves.len() {
            0 => sha256(&[]),
            1 => leaves[0].clone(),
            count => {
                let mut left = 1;
                while left * 2 < count {
                    left *= 2;
                }
                sha256(&[b"\x01", &root(&leaves[..left]), &root(&leaves[left..])])
            }
        }
    }
}

fn published() -> Value {
    serde_json::from_str(&std::fs::read_to_string(file()).unwrap()).unwrap()
}

#[track_caller]
fn check(found: &[u8], expect: &Value) {
    assert_eq!(hex::encode(found), expect.as_str().unwrap());
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn leaves_and_trees_follow_from_the_formulas_alone() {
    let vectors = published();
    for kind in ["effect", "row"] {
        for vector in list(&vectors[format!("{kind}s")]) {
            check(&bare::leaf(kind, text(&vector["text"])), &vector["leaf"]);
        }
    }
    let numbered = |count: &Value| -> Vec<Vec<u8>> {
        let one = |n: u64| bare::sha256(&[n.to_string().as_bytes()]);
        (0..count.as_u64().unwrap()).map(one).collect()
    };
    for vector in list(&vectors["trees"]) {
        check(&bare::root(&numbered(&vector["leaves"])), &vector["root"]);
    }
    for vector in list(&vectors["strikes"]) {
        let struck = list(&vector["struck"]);
        let all = numbered(&vector["leaves"]).into_iter().enumerate();
        let kept = all.filter(|(n, _)| !struck.contains(&json!(n))).map(|(_, leaf)| leaf);
        check(&bare::root(&kept.collect::<Vec<_>>()), &vector["root"]);
    }
}

#[test]
fn digests_and_receipts_follow_from_the_formulas_alone() {
    let vectors = published();
    for vector in list(&vectors["subjects"]) {
        let subject = text(&vector["subject"]);
        let domain = format!("countersign/v2/{}\0", text(&vector["kind"]));
        check(&bare::sha256(&[domain.as_bytes(), subject.as_bytes()]), &vector["digest"]);
        let subject: Value = serde_json::from_str(subject).unwrap();
        for (step, texts) in list(&subject["effects"]).iter().zip(list(&vector["effects"])) {
            let struck = list(&step["struck"]);
            let all = list(texts).iter().enumerate().filter(|(n, _)| !struck.contains(&json!(n)));
            let leaves: Vec<_> = all.map(|(_, one)| bare::leaf("effect", text(one))).collect();
            check(&bare::root(&leaves), &step["root"]);
        }
        let sent = list(&vector["effects"]).iter().flat_map(list);
        for (call, sent) in list(&subject["outcome"]).iter().zip(sent) {
            check(&bare::leaf("effect", text(sent)), &call["leaf"]);
        }
    }
    for vector in list(&vectors["receipts"]) {
        let (part, salt) = (text(&vector["part"]), hex::decode(text(&vector["salt"])).unwrap());
        let domain = format!("countersign/v2/salt/{part}\0");
        let own = bare::sha256(&[domain.as_bytes(), &salt]);
        check(&own, &vector["part_salt"]);
        let domain = format!("countersign/v2/salted/{part}\0");
        let bytes = hex::decode(text(&vector["bytes"])).unwrap();
        check(&bare::sha256(&[domain.as_bytes(), &own, &bytes]), &vector["digest"]);
    }
}
