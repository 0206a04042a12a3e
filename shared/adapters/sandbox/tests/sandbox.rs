//! Code in the child: what it computes, what it cannot reach, and where it ends.

use std::time::Duration;

use countersign_confined::Program;
use countersign_sandbox::{Bounds, Job, Ran, Sandbox, SandboxError};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::Instant;

const MIB: u64 = 1024 * 1024;

fn sandbox(bounds: Bounds) -> Sandbox {
    let path = env!("CARGO_BIN_EXE_countersign-sandbox-child").into();
    Sandbox::with_program(Program::of(path, Vec::new()), bounds)
}

async fn run_within(bounds: Bounds, code: &str, data: Value) -> Result<Ran, SandboxError> {
    let job = Job { code: code.to_owned(), data };
    sandbox(bounds).run(&job, Instant::now() + Duration::from_secs(60)).await
}

async fn run(code: &str, data: Value) -> Result<Ran, SandboxError> {
    run_within(Bounds::default(), code, data).await
}

#[tokio::test]
async fn r_009_code_computes_with_its_data() {
    let rows = json!([{ "name": "a", "cents": 1250 }, { "name": "b", "cents": 7 }, { "name": "a", "cents": 50 }]);
    let code = "
sums = {}
for row in data:
    sums[row['name']] = sums.get(row['name'], 0) + row['cents']
print('rows:', len(data))
{'sums': sums, 'most': max(sums.values()), 'share': round(sums['a'] / 1307, 3), 'none': None}
";
    let Ran { result, stdout } = run(code, rows).await.unwrap();
    let sums = json!({ "a": 1300, "b": 7 });
    assert_eq!(result, json!({ "sums": sums, "most": 1300, "share": 0.995, "none": null }));
    assert_eq!(stdout, "rows: 3\n");
    let nothing = run("x = 1", Value::Null).await.unwrap();
    assert_eq!((nothing.result, nothing.stdout.as_str()), (Value::Null, ""));
    let large = run("[2 ** 70, -1, 2.5, True, (1, 2)]", Value::Null).await.unwrap();
    assert_eq!(large.result, json!(["1180591620717411303424", -1, 2.5, true, [1, 2]]));
}

#[tokio::test]
async fn r_009_an_exception_is_told_with_its_line() {
    let check = async |code: &str, expect: &[&str]| {
        let error = run(code, Value::Null).await.unwrap_err();
        assert!(matches!(error, SandboxError::Raised(_)), "{error:?}");
        for part in expect {
            assert!(error.to_string().contains(part), "{error}");
        }
    };
    check("x = 1\nx / 0", &["line 2", "ZeroDivisionError"]).await;
    check("def f():\n    return missing\nf()", &["line 2", "NameError", "missing"]).await;
    check("if True\n  1", &["SyntaxError"]).await;
    check("raise ValueError('no')", &["ValueError", "no"]).await;
    let outside = "try:\n    open('/etc/passwd')\nexcept Exception:\n    1";
    check(outside, &["line 2", "there are no files"]).await;
}

#[tokio::test]
async fn r_009_a_result_that_is_no_data_is_refused() {
    for code in [
        "float('inf')",
        "len",
        "lambda: 1",
        "{(1, 2): 3}",
        "x = []\nx.append(x)\nx",
        "{1: 2, '1': 3}",
        "{}.keys()",
    ] {
        let error = run(code, Value::Null).await.unwrap_err();
        assert!(matches!(error, SandboxError::NotData(_)), "{code}: {error:?}");
    }
}

/// What a model might be talked into writing.
const ESCAPES: [&str; 36] = [
    "open('/etc/passwd').read()",
    "open('/proc/self/environ').read()",
    "open('/tmp/x', 'w').write('x')",
    "import os\nos.environ['AWS_SECRET_ACCESS_KEY']",
    "import os\nos.getenv('AWS_SESSION_TOKEN') or 1 / 0",
    "import os\nos.listdir('/')",
    "import os\nos.system('id')",
    "import os\nos.popen('id').read()",
    "import os\nos.fork()",
    "import os\nos.kill(1, 9)",
    "import os\nos.getpid()",
    "import subprocess\nsubprocess.run(['id'])",
    "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "import urllib.request\nurllib.request.urlopen('http://169.254.169.254/')",
    "import http.client\nhttp.client.HTTPConnection('127.0.0.1')",
    "import requests\nrequests.get('http://169.254.169.254/')",
    "import ctypes\nctypes.CDLL(None)",
    "import sys\nsys.modules['os'].system('id')",
    "import importlib\nimportlib.import_module('os').system('id')",
    "__import__('os').system('id')",
    "__builtins__['open']('/etc/passwd')",
    "eval('open(\"/etc/passwd\")')",
    "exec('import socket')",
    "compile('1', 'a', 'eval')",
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "(lambda: 0).__globals__['__builtins__']",
    "(lambda: 0).__code__.co_consts",
    "def f(): yield\nf().gi_frame.f_globals",
    "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"id\"\\ntR.')",
    "from pathlib import Path\nPath('/etc/passwd').read_text()",
    "from pathlib import Path\nlist(Path('/').iterdir())",
    "import time\ntime.sleep(1)\ntime.time()",
    "import datetime\ndatetime.datetime.now().isoformat()",
    "import threading\nthreading.Thread(target=print).start()",
    "input('password: ')",
];

#[tokio::test]
async fn k_43_code_reaches_no_files_no_network_no_processes_no_environment_and_no_clock() {
    for code in ESCAPES {
        let said = run(code, Value::Null).await;
        assert!(matches!(said, Err(SandboxError::Raised(_))), "{code}\n{said:?}");
    }
}

#[tokio::test]
async fn k_43_code_that_takes_too_much_is_ended() {
    let bounds = Bounds { memory: 96 * MIB, seconds: 1, output: MIB };
    let check = async |code: &str| {
        let said = run_within(bounds, code, Value::Null).await;
        let is_ended = matches!(said, Err(SandboxError::Limit(_) | SandboxError::Raised(_)));
        assert!(is_ended, "{code}\n{said:?}");
    };
    check("while True: pass").await;
    check("x = []\nwhile True: x.append('a' * 1000)").await;
    check("'a' * 10 ** 10").await;
    check("[0] * 10 ** 9").await;
    check("[0] * 10 ** 18").await;
    check("2 ** 10 ** 9").await;
    check("10 ** 10 ** 7 % 7").await;
    check("def f(n): return f(n + 1)\nf(0)").await;
    check(&format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000))).await;
    check(&format!("{}1", "not ".repeat(20_000))).await;
    check("'a' * 2_000_000").await;
    check("while True: print('a' * 1000)").await;
    check("class A:\n    def __eq__(self, other):\n        while True: pass\nA() == A()").await;
    check("sorted(range(10 ** 9))").await;
    check("sum(i for i in range(10 ** 12))").await;
    check("x = {}\nfor i in range(10 ** 9): x[i] = i").await;
    let long = Bounds { seconds: 60, ..bounds };
    let job = Job { code: "while True: pass".to_owned(), data: Value::Null };
    let late = sandbox(long).run(&job, Instant::now() + Duration::from_millis(300)).await;
    assert!(matches!(late, Err(SandboxError::Limit(_))), "{late:?}");
}

fn any_data() -> impl Strategy<Value = Value> {
    let number =
        prop_oneof![any::<i64>().prop_map(Value::from), any::<u64>().prop_map(Value::from)];
    let float = (-1e12_f64..1e12).prop_map(Value::from);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        float,
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// The same where a whole number beyond 64 bits with a sign is a text.
fn as_given_back(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_i64().is_none() && number.is_u64() => {
            number.to_string().into()
        }
        Value::Array(items) => items.into_iter().map(as_given_back).collect(),
        Value::Object(fields) => Value::Object(
            fields.into_iter().map(|(name, value)| (name, as_given_back(value))).collect(),
        ),
        value => value,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn r_009_data_come_out_as_they_went_in(data in any_data()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ran = runtime.block_on(run("data", data.clone())).unwrap();
        prop_assert_eq!(ran.result, as_given_back(data));
    }

    #[test]
    fn k_43_no_text_breaks_the_child(code in "(?s).{0,200}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let said = runtime.block_on(run(&code, Value::Null));
        prop_assert!(!matches!(said, Err(SandboxError::NotRun(_))), "{said:?}");
    }
}
