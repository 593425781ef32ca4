import pickle
import xml.etree.ElementTree as ElementTree

import pytest
import xpuck


def test_a_tree_is_read_told_and_drawn(pusher):
    tree = xpuck.Tree(pusher)
    assert (len(tree), tree.depth) == (9, 3)
    assert "frisbee" not in str(tree) and str(tree).startswith("sel\n  avoiding")
    assert tree.explain().startswith("9 nodes") or "nodes" in tree.explain()
    assert "| when |" in tree.explain(markdown=True) or "**" in tree.explain(markdown=True)
    drawing = ElementTree.fromstring(tree._repr_svg_())
    assert drawing.tag.endswith("svg") and len(list(drawing.iter())) > 20


@pytest.mark.parametrize("form", ["text", "xml", "json"])
def test_a_tree_goes_through_every_form_that_is_read(pusher, form):
    tree = xpuck.Tree(pusher)
    again = xpuck.Tree(tree.to(form), form=form)
    assert again == tree and hash(again) == hash(tree)
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert again != xpuck.Tree("avoiding")


def test_a_reduced_tree_does_the_same():
    tree = xpuck.Tree("seq\n  successl\n  upfield -1\n")
    assert len(tree.reduce()) < len(tree)
    assert (xpuck.simulate(tree, runs=3, seconds=5) == xpuck.simulate(tree.reduce(), runs=3, seconds=5)).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [("sek\n", "sek"), ("seq\n  movcv v_goal\n", "line 2"), ("", "no node"), ("avoiding\n" * 300_000, "bytes")],
)
def test_a_wrong_tree_is_refused_with_its_place(text, words):
    with pytest.raises(ValueError, match=words):
        xpuck.Tree(text)


def test_files_that_are_not_there_or_not_trees_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.bt"):
        xpuck.Tree.load(tmp_path / "nowhere.bt")
    wrong = tmp_path / "wrong.bt"
    wrong.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"wrong\.bt"):
        xpuck.Tree.load(wrong)
    with pytest.raises(ValueError, match="must be text, xml, json, dot or svg"):
        xpuck.Tree("avoiding").to("png")
