# frozen_string_literal: true

require "test_helper"
require "raffia"

class RunConfigTest < Raffia::TestCase
  def load(**env) = Raffia::Run::Config.load(Raffia::Variables.new(env.transform_keys(&:to_s)))

  def test_values
    assert_equal({dump_signal: nil, deadlock: :raise}, load.to_h)
    config = load(RAFFIA_DUMP_SIGNAL: "SIGUSR2", RAFFIA_DEADLOCK: "report")
    assert_equal({dump_signal: :USR2, deadlock: :report}, config.to_h)
    assert_equal :off, load(RAFFIA_DUMP_SIGNAL: "off").dump_signal
  end

  def test_bad_values
    %w[NONESUCH EXIT usr2].each do |name|
      assert_refused(/#{name} is no signal here/) { load(RAFFIA_DUMP_SIGNAL: name) }
    end
    assert_refused(/RAFFIA_DEADLOCK=panic.*use one of/) { load(RAFFIA_DEADLOCK: "panic") }
  end
end
