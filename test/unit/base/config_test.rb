# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class ConfigTest < Raffia::TestCase
  def test_defaults
    config = Raffia::Config.load({})
    assert_equal({log_level: :warn, log_format: :text, color: :auto, yjit: true}, config.to_h)
    assert_predicate config, :frozen?
    assert Ractor.shareable?(config) if defined?(Ractor)
  end

  def test_values
    config = Raffia::Config.load("RAFFIA_LOG" => "debug", "RAFFIA_LOG_FORMAT" => "json",
      "RAFFIA_COLOR" => "always", "RUBY_YJIT_ENABLE" => "0")
    assert_equal({log_level: :debug, log_format: :json, color: :always, yjit: false}, config.to_h)
  end

  def test_empty_is_unset
    assert_equal Raffia::Config.load({}),
      Raffia::Config.load("RAFFIA_LOG" => "", "NO_COLOR" => "", "RUBY_YJIT_ENABLE" => "")
  end

  def test_no_color
    assert_equal :never, Raffia::Config.load("NO_COLOR" => "1").color
    assert_equal :always, Raffia::Config.load("NO_COLOR" => "1", "RAFFIA_COLOR" => "always").color
  end

  def test_bad_values
    {"RAFFIA_LOG" => "loud", "RAFFIA_LOG_FORMAT" => "xml",
     "RAFFIA_COLOR" => "blue"}.each do |name, value|
      error = assert_raises(Raffia::ConfigError) { Raffia::Config.load(name => value) }
      assert_match(/#{name}=#{value}.*use one of/, error.message)
    end
  end

  def test_reads_the_environment_when_asked
    assert_instance_of Raffia::Config, Raffia.config
  end

  def test_clock
    value, seconds = Raffia::Clock.measure { :value }
    assert_equal :value, value
    assert_operator seconds, :>=, 0
    assert_operator Raffia::Clock.now, :<=, Raffia::Clock.now
  end
end
