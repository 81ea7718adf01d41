"""Traffic of one client with one host, summed."""

from desktop.domain.egress.values import Traffic


def test_all_numbers_are_summed_and_the_first_of_a_host_stands_alone() -> None:
    one = Traffic(kind="server", client="db", host="db.example", connections=1, bytes_up=2, bytes_down=3, refused=4)
    assert one.key == "server:db:db.example:443"
    assert one.with_more(None) == one
    both = one.with_more(one)
    assert (both.connections, both.bytes_up, both.bytes_down, both.refused) == (2, 4, 6, 8)
    assert both.key == one.key
