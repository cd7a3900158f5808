# frozen_string_literal: true

module Conformance
  module Source
    # A tag of a public repository, where neither Debian nor the gem has the tests. Only its tests
    # are used where the library is a gem. A local mirror is a matter of git's own settings
    # (url.<base>.insteadOf).
    class Git
      def initialize(entry, _cache)
        @url = entry["git"]
        @tag = entry["tag"]
      end

      def fetch(folder)
        Source.command("git", "clone", "--quiet", "--depth", "1", "--branch", @tag, @url, folder,
          env: {"GIT_TERMINAL_PROMPT" => "0"})
      end
    end
  end
end
