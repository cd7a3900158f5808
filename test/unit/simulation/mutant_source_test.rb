# frozen_string_literal: true

require "test_helper"
require "tempfile"
require_relative "../../../script/simulate/equivalents"
require_relative "../../../script/simulate/mutant_source"

module Simulations
  # Mutants of `rake simulate:mutants`, and those that do not count.
  class MutantSourceTest < Raffia::TestCase
    ROOT = File.expand_path("../../..", __dir__)
    SOURCE = <<~RUBY
      def take
        return if @items.empty?
        item = @lock.synchronize { @items.shift }
        @room.signal
        item
      end
    RUBY

    def test_locks_calls_and_checks_are_left_out
      assert_equal ["no check: return if @items.empty?",
        "no synchronize: item = @lock.synchronize { @items.shift }", "no signal: @room.signal"],
        mutants.map(&:change)
      assert_includes mutants[1].text, "item = Simulations::Unlocked.hold { @items.shift }"
      assert_includes mutants[2].text, "\n  nil\n  item"
    end

    def test_equivalent_mutants_do_not_count
      entry = {"file" => "a", "change" => "no signal: @room.signal", "reason" => "nobody waits"}
      left = Equivalents.new([entry]).without("a", mutants)

      assert_equal mutants.map(&:change) - [entry["change"]], left.map(&:change)
      assert_equal 3, Equivalents.new([entry]).without("b", mutants).size
      error = assert_raises(RuntimeError) do
        Equivalents.new([entry.merge("change" => "no check: x")]).without("a", mutants)
      end
      assert_match(/a has no mutant no check: x/, error.message)
    end

    def test_each_entry_is_a_mutant_and_has_a_reason
      YAML.load_file("#{ROOT}/script/simulate/equivalent.yml", aliases: true).each do |entry|
        source = MutantSource.new("#{ROOT}/lib/raffia/#{entry["file"]}.rb")

        assert_includes source.mutants.map(&:change), entry["change"]
        refute_empty entry["reason"].strip
      end
    end

    private

    def mutants
      Tempfile.create(["raffia", ".rb"]) do |file|
        file.write(SOURCE)
        file.flush
        MutantSource.new(file.path).mutants
      end
    end
  end
end
