"""What errors say of themselves."""

from desktop.domain.core.errors import CommandError, GitError, git_reason


def test_what_git_said_in_several_lines_is_one_line_and_its_own_words_are_kept() -> None:
    error = GitError("fatal: no\n\n  hint: try this\n", stderr="fatal: no", status=128)
    assert (str(error), error.stderr, error.status) == ("fatal: no hint: try this", "fatal: no", 128)


def test_a_refused_command_has_a_code_for_the_window_and_a_text_for_the_person() -> None:
    error = CommandError("lane_gone", "The lane is gone.")
    assert (error.code, str(error)) == ("lane_gone", "The lane is gone.")


def test_why_git_failed_is_its_lines_of_faults_or_all_it_said() -> None:
    assert git_reason("Cloning…\nfatal: no repository\n\nPlease check\nerror: gone\n") == (
        "fatal: no repository error: gone"
    )
    assert git_reason("not something\r\n  we can merge\n") == "not something we can merge"
    assert git_reason(" \n") == ""
