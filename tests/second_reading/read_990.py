#!/usr/bin/env python3
"""A second reading of Form 990 filings, independent of the connector that Countersign ships.

    python3 read_990.py FILE...

Prints a JSON object: file name -> endpoint -> list of records. It shares nothing with the connector: it has its own table
of element names, arranged by form and schema generation instead of by alternatives, and its own parser (ElementTree).
Python 3.10 or newer, standard library only.
"""

import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

OLD, MIDDLE, NEW = "until 2012", "2013", "since 2014"


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def children(element, name):
    return [child for child in element if local(child) == name]


def down(element, path):
    """Every element that a path of child names leads to."""
    found = [element]
    for name in path.split("/"):
        found = [child for parent in found for child in children(parent, name)]
    return found


def words(element):
    """The text of an element and of all below it, single-spaced; None when there is none."""
    text = " ".join(" ".join(element.itertext()).split())
    return text or None


def first(element, *paths):
    for path in paths:
        for found in down(element, path):
            text = words(found)
            if text is not None:
                return text
    return None


def number(text):
    if text is None:
        return None
    plain = text.replace(",", "")
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", plain):
        raise ValueError(f"{text!r} is not an amount")
    value = float(plain)
    return int(value) if value.is_integer() else value


def ticked(text):
    return None if text is None else {"X": True, "true": True, "1": True, "false": False, "0": False}[text]


def generation(root):
    year = int(root.get("returnVersion")[:4])
    return OLD if year < 2013 else MIDDLE if year < 2014 else NEW


# What the header calls things.
HEADER = {
    OLD: {"name": "Name", "type": "ReturnType", "year": "TaxYear", "begin": "TaxPeriodBeginDate", "end": "TaxPeriodEndDate",
          "city": "City", "state": "State", "firm": "PreparerFirm/PreparerFirmBusinessName"},
    MIDDLE: {"name": "BusinessName", "type": "ReturnTypeCd", "year": "TaxYr", "begin": "TaxPeriodBeginDt",
             "end": "TaxPeriodEndDt", "city": "City", "state": "State", "firm": "PreparerFirmGrp/PreparerFirmName"},
}
HEADER[NEW] = {**HEADER[MIDDLE], "city": "CityNm", "state": "StateAbbreviationCd"}

# The totals of each form.
TOTALS = {
    "990": {
        OLD: {"gross_receipts": ["GrossReceipts"], "total_revenue": ["TotalRevenueCurrentYear", "TotalRevenue/TotalRevenueColumn"],
              "total_expenses": ["TotalExpensesCurrentYear", "TotalFunctionalExpenses/Total"],
              "total_assets": ["TotalAssetsEOY", "TotalAssets/EOY"],
              "mission": ["MissionDescription", "ActivityOrMissionDescription"]},
        NEW: {"gross_receipts": ["GrossReceiptsAmt"], "total_revenue": ["CYTotalRevenueAmt", "TotalRevenueGrp/TotalRevenueColumnAmt"],
              "total_expenses": ["CYTotalExpensesAmt", "TotalFunctionalExpensesGrp/TotalAmt"],
              "total_assets": ["TotalAssetsEOYAmt", "TotalAssetsGrp/EOYAmt"],
              "mission": ["MissionDesc", "ActivityOrMissionDesc"]},
    },
    "990EZ": {
        OLD: {"gross_receipts": ["GrossReceipts"], "total_revenue": ["TotalRevenue"], "total_expenses": ["TotalExpenses"],
              "total_assets": ["TotalAssets/EOY"], "mission": ["PrimaryExemptPurpose"]},
        NEW: {"gross_receipts": ["GrossReceiptsAmt"], "total_revenue": ["TotalRevenueAmt"], "total_expenses": ["TotalExpensesAmt"],
              "total_assets": ["Form990TotalAssetsGrp/EOYAmt"], "mission": ["PrimaryExemptPurposeTxt"]},
    },
    "990PF": {
        OLD: {"total_revenue": ["AnalysisOfRevenueAndExpenses/TotalRevenueAndExpenses"],
              "total_expenses": ["AnalysisOfRevenueAndExpenses/TotalExpensesRevAndExpnss"], "total_assets": ["FMVAssetsEOY"]},
        NEW: {"total_revenue": ["AnalysisOfRevenueAndExpenses/TotalRevAndExpnssAmt"],
              "total_expenses": ["AnalysisOfRevenueAndExpenses/TotalExpensesRevAndExpnssAmt"],
              "total_assets": ["Form990PFBalanceSheetsGrp/TotalAssetsEOYAmt", "FMVAssetsEOYAmt"]},
    },
    "990T": {NEW: {}},
}

# The lists of people: where they are, and what a row calls its parts.
SECTION_A_OLD = {"name": ["NamePerson", "NameBusiness"], "title": "Title", "hours": "AverageHoursPerWeek",
                 "pay": "ReportableCompFromOrganization", "related": "ReportableCompFromRelatedOrgs", "other": "OtherCompensation",
                 "officer": "Officer", "director": "IndividualTrusteeOrDirector", "key": "KeyEmployee"}
SECTION_A_NEW = {"name": ["PersonNm", "BusinessName"], "title": "TitleTxt", "hours": "AverageHoursPerWeekRt",
                 "pay": "ReportableCompFromOrgAmt", "related": "ReportableCompFromRltdOrgAmt", "other": "OtherCompensationAmt",
                 "officer": "OfficerInd", "director": "IndividualTrusteeOrDirectorInd", "key": "KeyEmployeeInd"}
LISTED_OLD = {"name": ["PersonName", "BusinessName"], "title": "Title", "hours": "AvgHoursPerWkDevotedToPosition",
              "pay": "Compensation", "other": "ContriToEmplBenefitPlansEtc"}
LISTED_NEW = {"name": ["PersonNm", "BusinessName"], "title": "TitleTxt", "hours": "AverageHrsPerWkDevotedToPosRt",
              "pay": "CompensationAmt", "other": "EmployeeBenefitProgramAmt"}
HIGHEST_OLD = {"name": ["Name"], "title": "Title", "hours": "AverageHoursPerWeek", "pay": "Compensation", "other": "EmployeeBenefits"}
HIGHEST_NEW = {"name": ["PersonNm"], "title": "TitleTxt", "hours": "AverageHoursPerWeekRt", "pay": "CompensationAmt",
               "other": "EmployeeBenefitsAmt"}
PEOPLE = {
    "990": {OLD: {"Form990PartVIISectionA": SECTION_A_OLD}, NEW: {"Form990PartVIISectionAGrp": SECTION_A_NEW}},
    "990EZ": {OLD: {"OfficerDirectorTrusteeKeyEmpl": LISTED_OLD, "CompensationOfHighestPaidEmpl": HIGHEST_OLD},
              NEW: {"OfficerDirectorTrusteeEmplGrp": LISTED_NEW, "CompensationHighestPaidEmplGrp": HIGHEST_NEW}},
    "990PF": {OLD: {"OfcrDirTrusteesOrKeyEmployee": LISTED_OLD, "CompensationOfHighestPaidEmpl": HIGHEST_OLD},
              NEW: {"OfficerDirTrstKeyEmplGrp": LISTED_NEW, "CompensationHighestPaidEmplGrp": HIGHEST_NEW}},
    "990T": {NEW: {}},
}
INFO_GROUP = {OLD: "OfcrDirTrusteesKeyEmployeeInfo", NEW: "OfficerDirTrstKeyEmplInfoGrp"}

PAID_OLD = {"base_compensation": "BaseCompensationFilingOrg", "bonus": "BonusFilingOrg", "other_reportable": "OtherCompensationFilingOrg",
            "deferred": "DeferredCompFilingOrg", "nontaxable_benefits": "NontaxableBenefitsFilingOrg",
            "total": "TotalCompensationFilingOrg", "related_base": "CompBasedOnRelatedOrgs", "related_bonus": "BonusRelatedOrgs",
            "related_total": "TotalCompensationRelatedOrgs", "reported_before": "CompReportPrior990FilingOrg"}
PAID_NEW = {"base_compensation": "BaseCompensationFilingOrgAmt", "bonus": "BonusFilingOrganizationAmount",
            "other_reportable": "OtherCompensationFilingOrgAmt", "deferred": "DeferredCompensationFlngOrgAmt",
            "nontaxable_benefits": "NontaxableBenefitsFilingOrgAmt", "total": "TotalCompensationFilingOrgAmt",
            "related_base": "CompensationBasedOnRltdOrgsAmt", "related_bonus": "BonusRelatedOrganizationsAmt",
            "related_total": "TotalCompensationRltdOrgsAmt", "reported_before": "CompReportPrior990FilingOrgAmt"}


class Filing:
    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()
        self.generation = generation(self.root)
        self.names = OLD if self.generation == OLD else NEW
        self.called = HEADER[self.generation]
        (self.header,) = children(self.root, "ReturnHeader")
        (self.data,) = children(self.root, "ReturnData")
        self.form_type = first(self.header, self.called["type"])
        (self.form,) = children(self.data, "IRS" + self.form_type)
        (self.filer,) = children(self.header, "Filer")

    def identity(self):
        return {
            "organization_name": first(self.filer, self.called["name"]),
            "ein": first(self.filer, "EIN"),
            "tax_year": number(first(self.header, self.called["year"])),
            "form_type": self.form_type,
        }

    def organisation(self):
        record = self.identity()
        record["period_begin"] = first(self.header, self.called["begin"])
        record["period_end"] = first(self.header, self.called["end"])
        record["city"] = first(self.filer, "USAddress/" + self.called["city"], "ForeignAddress/" + self.called["city"])
        record["state"] = first(self.filer, "USAddress/" + self.called["state"])
        record["preparer_firm"] = first(self.header, self.called["firm"])
        totals = TOTALS[self.form_type][self.names]
        for field in ("gross_receipts", "total_revenue", "total_expenses", "total_assets"):
            record[field] = number(first(self.form, *totals.get(field, [])))
        record["mission"] = first(self.form, *totals.get("mission", []))
        return [record]

    def of_filer(self):
        record = self.identity()
        record["organization_city"] = first(self.filer, "USAddress/" + self.called["city"], "ForeignAddress/" + self.called["city"])
        record["organization_state"] = first(self.filer, "USAddress/" + self.called["state"])
        return record

    def officers(self):
        kinds = PEOPLE[self.form_type][self.names]
        group = self.form
        if self.form_type == "990PF":
            (group,) = children(self.form, INFO_GROUP[self.names])
        return [self.officer(row, kinds[local(row)]) for row in group if local(row) in kinds]

    def officer(self, row, called):
        amount = lambda key: number(first(row, called[key])) if key in called else None
        box = lambda key: ticked(first(row, called[key])) if key in called else None
        city = self.called["city"]
        return {
            "name": first(row, *called["name"]),
            "title": first(row, called["title"]),
            "hours_per_week": amount("hours"),
            "compensation": amount("pay"),
            "related_compensation": amount("related"),
            "other_compensation": amount("other"),
            "city": first(row, "USAddress/" + city, "ForeignAddress/" + city),
            "state": first(row, "USAddress/" + self.called["state"]),
            "is_officer": box("officer"),
            "is_director": box("director"),
            "is_key_employee": box("key"),
            **self.of_filer(),
        }

    def compensation(self):
        called, rows, names, title = (
            (PAID_OLD, "Form990ScheduleJPartII", ["NamePerson", "NameBusiness"], "Title")
            if self.names == OLD
            else (PAID_NEW, "RltdOrgOfficerTrstKeyEmplGrp", ["PersonNm", "BusinessName"], "TitleTxt")
        )
        return [
            {"name": first(row, *names), "title": first(row, title),
             **{field: number(first(row, element)) for field, element in called.items()}, **self.of_filer()}
            for row in down(self.data, "IRS990ScheduleJ/" + rows)
        ]

    def grants(self):
        if self.form_type == "990PF":
            return [self.foundation_grant(row) for row in down(self.form, {
                OLD: "SupplementaryInformation/GrantOrContriPaidDuringYear",
                NEW: "SupplementaryInformationGrp/GrantOrContributionPdDurYrGrp",
            }[self.names])]
        return [self.schedule_i(row) for row in down(self.data, "IRS990ScheduleI/RecipientTable")]

    def foundation_grant(self, row):
        old = self.names == OLD
        country = "Country" if self.generation != NEW else "CountryCd"
        return {
            "recipient_name": first(row, "RecipientBusinessName", "RecipientPersonName" if old else "RecipientPersonNm"),
            "recipient_ein": None,
            "grant_amount": number(first(row, "Amount" if old else "Amt")),
            "noncash_amount": None,
            "purpose": first(row, "PurposeOfGrantOrContribution" if old else "GrantOrContributionPurposeTxt"),
            "recipient_city": first(row, "RecipientUSAddress/" + self.called["city"], "RecipientForeignAddress/" + self.called["city"]),
            "recipient_state": first(row, "RecipientUSAddress/" + self.called["state"]),
            "recipient_country": first(row, "RecipientForeignAddress/" + country),
            **self.of_filer(),
        }

    def schedule_i(self, row):
        old = self.names == OLD
        at, abroad = ("AddressUS/", "AddressForeign/") if old else ("USAddress/", "ForeignAddress/")
        country = "Country" if self.generation != NEW else "CountryCd"
        return {
            "recipient_name": first(row, "RecipientNameBusiness" if old else "RecipientBusinessName"),
            "recipient_ein": first(row, "EINOfRecipient" if old else "RecipientEIN"),
            "grant_amount": number(first(row, "AmountOfCashGrant" if old else "CashGrantAmt")),
            "noncash_amount": number(first(row, "AmountOfNonCashAssistance" if old else "NonCashAssistanceAmt")),
            "purpose": first(row, "PurposeOfGrant" if old else "PurposeOfGrantTxt"),
            "recipient_city": first(row, at + self.called["city"], abroad + self.called["city"]),
            "recipient_state": first(row, at + self.called["state"]),
            "recipient_country": first(row, abroad + country),
            **self.of_filer(),
        }

    def read(self):
        return {
            "parse_990": self.organisation(),
            "parse_990_officers": self.officers(),
            "parse_990_compensation": self.compensation(),
            "parse_990_grants": self.grants(),
        }


def main(paths):
    json.dump({os.path.basename(path): Filing(path).read() for path in paths}, sys.stdout, indent=1, ensure_ascii=True)


if __name__ == "__main__":
    main(sys.argv[1:])
