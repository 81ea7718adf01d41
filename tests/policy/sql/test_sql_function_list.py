"""The closed lists against the pinned version of the parser: what it has and is not listed is named here."""

from collections.abc import Iterator
from importlib.metadata import version

import pytest
from sqlglot import exp

from desktop.policy.sql.names.functions import TYPED_FUNCTIONS
from desktop.policy.sql.names.nodes import PLAN_NODES

# Every function class of sqlglot 30.30 that is not listed. A new version that brings another fails the test below:
# read what it does, then put it here or into the list.
UNLISTED = frozenset({
    "AIAgg", "AIClassify", "AIEmbed", "AIForecast", "AIGenerate", "AISimilarity", "AISummarizeAgg", "Agg", "AggFunc",
    "Anonymous", "AnonymousAggFunc", "Apply", "Columns", "CombinedAggFunc", "CombinedParameterizedAgg",
    "DecompressBinary", "DecompressString", "Decrypt", "DecryptRaw", "DynamicIdentifier", "Encrypt", "EncryptRaw",
    "FeaturesAtTime", "GenerateBool", "GenerateDouble", "GenerateEmbedding", "GenerateInt", "GenerateTable",
    "GenerateText", "Generator", "MLForecast", "MLTranslate", "NetFunc", "NextValueFor", "ObjectId", "OpenJSON",
    "ParameterizedAgg", "Predict", "ReadCSV", "ReadParquet", "SafeFunc", "Search", "SearchIp", "Secret", "Seq1",
    "Seq2", "Seq4", "Seq8", "StDistance", "StPoint", "ToFile", "Transform", "Try", "VectorSearch", "XMLTable",
})  # fmt: skip


def below(class_: type[exp.Expr]) -> Iterator[str]:
    for child in class_.__subclasses__():
        yield child.__name__
        yield from below(child)


def test_the_parser_is_the_version_that_the_lists_were_read_for() -> None:
    assert version("sqlglot").split(".")[:2] == ["30", "30"]


@pytest.mark.promise("gate-Q8")
def test_every_function_class_is_either_listed_or_left_out_on_purpose() -> None:
    known = {name for name in below(exp.Func) if hasattr(exp, name)}
    assert known - TYPED_FUNCTIONS - UNLISTED == set()
    assert TYPED_FUNCTIONS - known == set()
    assert set() == TYPED_FUNCTIONS & UNLISTED


def test_every_listed_node_exists() -> None:
    assert PLAN_NODES - set(below(exp.Expr)) == set()


@pytest.mark.promise("gate-Q7")
def test_no_node_that_changes_anything_is_listed() -> None:
    changing = {"Create", "Drop", "Alter", "Into", "Command", "Copy", "Set", "Use", "Kill", "Hint", "Operator", "Grant"}
    assert not changing & PLAN_NODES
