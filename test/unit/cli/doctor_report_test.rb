# frozen_string_literal: true

require "test_helper"
require "stringio"
require "raffia/cli/doctor"

module Raffia
  module CLI
    class Doctor < Command
      class ReportTest < TestCase
        LONG = "many words " * 20

        def test_stays_within_80_columns_and_keeps_every_word
          text = print_text([Check.warn("a name", LONG, LONG)])
          assert_operator text.lines.map { |line| line.chomp.size }.max, :<=, 80
          assert_equal 40, text.scan("many words").size + text.scan(/many\n\s+(-> )?words/).size
        end

        def test_a_word_longer_than_a_line_is_kept_whole
          path = "/very/long/path" * 10
          assert_includes print_text([Check.ok("path", "at #{path} there")]), path
        end

        def test_the_verdict
          ok = Check.ok("x", "fine")
          warning = Check.warn("x", "meh", "do")
          assert_includes print_text([ok]), "Nothing is broken.\n"
          assert_includes print_text([warning]), "Nothing is broken; 1 warning.\n"
          assert_includes print_text([warning, warning]), "Nothing is broken; 2 warnings.\n"
          assert_includes print_text([warning, Check.broken("x", "bad", "do")]), "1 broken: see"
        end

        def test_json_has_each_finding_and_a_verdict
          sections = {"One" => [Check.ok("x", "fine")], "Two" => [Check.broken("y", "bad", "do")]}
          found = JSON.parse(StringIO.new.tap { |out| Report.json(sections, out) }.string)
          assert_equal false, found["ok"]
          assert_equal VERSION, found["version"]
          assert_equal({"section" => "Two", "name" => "y", "status" => "fail", "detail" => "bad",
            "advice" => "do"}, found["checks"].last)
        end

        def test_ruby_versions
          assert_equal "ok", Ruby.ruby("3.4.0").status
          assert_equal "ok", Ruby.ruby("3.4.0dev").status
          assert_equal "note", Ruby.ruby("4.0.0").status
          assert_equal "note", Ruby.ruby("3.3.5").status
          old = Ruby.ruby("3.3.4")
          assert_predicate old, :broken?
          assert_includes old.advice, "3.3.5"
        end

        def test_yjit
          assert_equal %w[ok note note],
            %i[on off absent].map { |state| Ruby.jit(state, false).status }
          assert_equal 1, Ruby.call(yjit: nil).size
        end

        def test_ractors_and_the_instruction_counter
          with, without = {"YJIT_SUPPORT" => "no", "RJIT_SUPPORT" => "yes"},
            {"YJIT_SUPPORT" => "no"}
          assert_match(/Ractors no longer slow each other down/, jit(:off, with).advice)
          assert_match(/Ractors slow each other down/, jit(:absent, with).detail)
          assert_includes jit(:absent, with).advice, "--disable-rjit"
          [jit(:absent, without), jit(:off, with, "4.0.0"), jit(:on, with)].each do |check|
            refute_includes check.to_a.join, "Ractors"
          end
        end

        def test_a_gem_that_is_there_and_one_that_is_not
          there, wrong, missing = Gems.call(optional: [
            ["minitest", ">= 5", "tests"], ["minitest", ">= 999", "tests"],
            ["raffia-of-nowhere", "~> 1.0", "nothing"]
          ])
          assert_equal "ok", there.status
          assert_match(/\Aonly \d.* installed/, wrong.detail)
          assert_includes missing.detail, "not installed"
          assert_includes missing.advice, 'gem "raffia-of-nowhere", "~> 1.0"'
        end

        def test_the_gems_are_those_that_are_loaded
          known = Gems::OPTIONAL.to_h { |name, requirement| [name, requirement] }
          files = Dir[File.expand_path("../../../lib/raffia/{cli,jobs,pool,server}/**/*.rb",
            __dir__)]
          asked = files.flat_map { |path|
            File.read(path)
              .scan(/Optional\.gem\("([\w-]+)"(?:, "([^"]+)")?/)
          } - [["openssl", nil], ["fiddle", nil], ["bigdecimal", nil]] # the last is trilogy's
          assert_equal known.keys.sort, asked.map(&:first).uniq.sort
          asked.each do |name, requirement|
            assert_equal known[name], requirement, name if requirement
          end
        end

        private

        def jit(state, config, version = "3.4.5")
          Ruby.call(version: version, yjit: state, config: config).last
        end

        def print_text(checks)
          StringIO.new.tap { |out| Report.text({"Section" => checks}, out) }.string
        end
      end
    end
  end
end
