# frozen_string_literal: true

require_relative "../cli/cli_case"
require "json"
require "raffia/engine"

module Raffia
  # Where the kernel, a container or a seccomp filter refuses io_uring, the next best back end is
  # used, and `raffia doctor` says why.
  class RefusedTest < CLICase
    FILTER = File.join(ROOT, "test/support/refuse.rb")
    SETUP = 425
    ENTER = 426
    REFUSALS = {
      [SETUP, Errno::EPERM] => /io_uring_setup: Operation not permitted .*container/,
      [SETUP, Errno::ENOSYS] => /io_uring_setup: Function not implemented/,
      [SETUP, Errno::ENOMEM] => /io_uring_setup: Cannot allocate memory .*locked memory/,
      [ENTER, Errno::EPERM] => /wake-up: Operation not permitted .*container/,
      [ENTER, Errno::ENOSYS] => /wake-up: Function not implemented/
    }.freeze

    def setup
      super
      skip "seccomp filters are Linux's" unless RUBY_PLATFORM.match?(/\A(x86_64|aarch64)-linux/)
      unless Engine.probe.any? { |found| found[:name] == :uring && found[:ok] }
        skip "io_uring does not work here"
      end
    end

    def test_the_doctor_says_why_and_what_is_used_instead
      REFUSALS.each do |(call, error), reason|
        ended = under(call, error, EXECUTABLE, "doctor", "--json")
        assert_equal ["", 0], [ended.err, ended.code], ended.out
        checks = JSON.parse(ended.out).fetch("checks").to_h { |check| [check["name"], check] }
        assert_equal "note", checks["uring"]["status"]
        assert_match reason, checks["uring"].values.join(" ")
        assert_match(/the one that is used/, checks["epoll"].values.join(" "))
      end
    end

    def test_programs_run_on_epoll
      name = script(<<~RUBY)
        require "raffia"
        reader, writer = IO.pipe
        value = Raffia.run do |scope|
          read = scope.spawn { reader.read }
          scope.spawn { sleep 0.001; writer.write("through"); writer.close }
          read.value
        end
        puts value, Raffia::Engine.best
      RUBY
      REFUSALS.each_key do |call, error|
        ended = under(call, error, name)
        assert_equal ["through\nepoll\n", "", 0], [ended.out, ended.err, ended.code], error
      end
    end

    def test_who_insists_on_it_is_told_why_not
      ended = under(SETUP, Errno::EPERM, "-e", "require 'raffia'; Raffia.run { 1 }",
        env: {"RAFFIA_BACKEND" => "uring"})
      assert_equal 1, ended.code
      assert_match(/ConfigError/, ended.err)
      assert_match(/io_uring_setup: Operation not permitted/, ended.err)
    end

    private

    def under(call, error, *argv, env: {})
      ruby("-r", FILTER, *argv, env: {"RAFFIA_BACKEND" => nil,
                                      "REFUSE" => "#{call}:#{error::Errno}", **env})
    end
  end
end
