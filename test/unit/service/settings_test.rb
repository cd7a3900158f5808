# frozen_string_literal: true

require "test_helper"
require "optparse"
require "raffia/service/settings"
require "raffia/service/settings/flags"

class ServiceSettingsTest < Raffia::TestCase
  Settings = Raffia::Service::Settings
  TABLE = Settings.define(
    first: ["First", [
      [:size, :bytes, 1 << 20, "how large", {short: "-s"}],
      [:names, :strings, [], "who", {option: "--name"}]
    ]],
    second: ["Second", [[:mode, %i[fast safe], :safe, "how"], [:loud, :flag, false, "whether"]]]
  )

  def flags(*argv, read: true)
    given = {}
    parser = OptionParser.new { |one| Settings::Flags.new(one, given, read: read).add_all(TABLE) }
    [given, parser.parse(argv), parser.to_s]
  end

  def test_a_table
    assert Ractor.shareable?(TABLE)
    assert_equal %i[size names mode loud], TABLE.names
    assert_equal({first: "First", second: "Second"}, TABLE.titles)
    assert_equal %i[mode loud], TABLE.section(:second).map(&:name)
  end

  def test_values
    assert_equal({size: 1 << 20, names: [], mode: :safe, loud: false}, TABLE.build({}))
    assert_equal({size: 2048, names: ["a"], mode: :fast, loud: true},
      TABLE.build({"size" => "2k", "names" => "a", "mode" => "fast", "loud" => "yes"}))
    assert_refused('mode "slow" makes no sense: use one of fast, safe') do
      TABLE.build(mode: "slow")
    end
    assert_refused("there is no option sice: did you mean size?") { TABLE.build(sice: 1) }
  end

  def test_flags
    given, rest, help = flags("-s", "3m", "--name", "a", "--name", "b", "--loud", "rest")
    assert_equal [{size: 3 << 20, names: %w[a b], loud: true}, ["rest"]], [given, rest]
    assert_match(/-s, --size BYTES +how large \(1m\)/, help)
    assert_match(/^Second:$/, help)
    assert_equal({size: "3m"}, flags("-s", "3m", read: false).first)
    error = assert_raises(OptionParser::InvalidArgument) { flags("-s", "much") }
    assert_match(/-s much: use bytes/, error.message)
  end

  def test_rows_of_another_table
    other = Settings.define(only: ["Only", [TABLE[:size].with(short: nil), TABLE[:mode]]])
    assert_equal %i[only only], other.map(&:section)
    assert_nil other[:size].short
  end
end
