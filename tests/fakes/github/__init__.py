"""A stateful GitHub on 127.0.0.1: real git repositories, REST and GraphQL; begin with `stand_in.FakeGitHub`."""
