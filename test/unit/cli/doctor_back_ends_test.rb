# frozen_string_literal: true

require "test_helper"
require "raffia/cli/doctor"

module Raffia
  module CLI
    class Doctor < Command
      class BackEndsTest < TestCase
        def test_the_one_that_is_used_is_marked
          used, other = %i[epoll poll].map { |name|
            BackEnds.check(name: name, ok: true, reason: nil, best: :epoll)
          }
          assert_equal ["ok", "works; the one that is used"], used.to_a[1, 2]
          assert_equal %w[ok works], other.to_a[1, 2]
        end

        def test_one_that_does_not_work_gives_the_reason
          check = BackEnds.check(name: :uring, ok: false, reason: "the kernel says EPERM",
            best: :epoll)
          assert_equal ["uring", "note", "does not work here: the kernel says EPERM"],
            check.to_a[0, 3]
        end

        def test_an_extension_that_is_there_but_broken
          broken = Extension.check(-> { raise LoadError, "undefined symbol" })
          assert_predicate broken, :broken?
          assert_includes broken.detail, "undefined symbol"
        end

        def test_an_extension_that_was_not_built
          assert_equal "warn", Extension.check(-> { false }).status
          assert_equal "ok", Extension.check(-> { true }).status
        end
      end
    end
  end
end
