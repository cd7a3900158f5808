# frozen_string_literal: true

require_relative "cli_case"
require "json"
require "raffia/base/version"
require "raffia/native"

module Raffia
  class CLIDoctorTest < CLICase
    def test_this_machine_in_words
      ended = raffia "doctor"
      assert_equal ["", 0], [ended.err, ended.code], ended.out
      assert_equal ["Ruby", "Native extension", "Back ends", "Limits", "Optional gems"],
        ended.out.scan(/^[A-Z][a-z ]+$/)
      unless RUBY_VERSION.start_with?("3.3")
        assert_match(/^  ok    version +ruby #{RUBY_VERSION}/o, ended.out)
      end
      assert_match(/^  ok    \w+ +works; the one that is used$/, ended.out)
      assert_match(/^Nothing is broken/, ended.out.lines.last)
      assert_empty ended.out.lines.select { |line| line.chomp.size > 80 }
      refute_includes ended.out, "\e", "no colour: it is pasted into reports"
    end

    def test_whether_the_server_speaks_http_2
      line = raffia("doctor").out[/^  \w+ +HTTP\/2 .*/]
      assert_includes line, Native.http2? ? "libnghttp2 is compiled in" : "HTTP/1.1 only"
    end

    def test_this_machine_as_json
      ended = raffia "doctor", "--json"
      report = JSON.parse(ended.out)
      assert_equal [0, true, VERSION], [ended.code, report["ok"], report["version"]]
      assert_includes report["checks"].map { |check| check["name"] }, "select"
      assert_empty report["checks"].map { |check| check["status"] } - %w[ok note warn]
    end

    def test_a_forced_back_end_that_means_nothing_is_broken
      ended = raffia "doctor", env: {"RAFFIA_BACKEND" => "steam"}
      assert_equal 1, ended.code
      assert_match(/^  fail  RAFFIA_BACKEND .*steam/, ended.out)
      assert_match(/^1 broken/, ended.out.lines.last)
    end

    def test_wrong_arguments
      %w[--jsn nonsense].each do |argument|
        ended = raffia "doctor", argument
        assert_equal [2, "", 1], [ended.code, ended.out, ended.err.lines.size], argument
      end
    end
  end
end
