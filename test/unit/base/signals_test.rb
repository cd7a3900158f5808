# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class SignalsTest < Raffia::TestCase
  def send_signal
    ::Process.kill(:USR1, ::Process.pid)
  end

  def setup
    @before = trap(:USR1, "IGNORE")
  end

  def teardown
    trap(:USR1, @before || "DEFAULT")
  end

  def handler = trap(:USR1, "IGNORE").tap { |handler| trap(:USR1, handler) }

  def test_handles_during_the_block_only
    got = Thread::Queue.new
    value = Raffia::Signals.with(USR1: ->(number) { got << number }) do
      send_signal
      got.pop(timeout: PATIENCE)
    end
    assert_equal Signal.list["USR1"], value
    assert_equal "IGNORE", handler
  end

  def test_puts_back_after_an_error
    assert_raises(IOError) { Raffia::Signals.with(USR1: -> {}) { raise IOError } }
    assert_equal "IGNORE", handler
  end

  def test_chains_to_the_earlier_handler
    got = Thread::Queue.new
    Raffia::Signals.with(USR1: ->(_) { got << :outer }) do
      Raffia::Signals.with(USR1: ->(_) { got << :inner }) { send_signal && wait_until { got.size == 2 } }
      Raffia::Signals.with(chain: false, USR1: ->(_) { got << :alone }) { send_signal && wait_until { got.size == 3 } }
      send_signal
      wait_until { got.size == 4 }
    end
    assert_equal %i[inner outer alone outer], Array.new(4) { got.pop }
  end

  def test_commands
    Raffia::Signals.with(USR1: "IGNORE", USR2: "IGNORE") { assert_equal "IGNORE", handler }
  end

  def test_signals_that_cannot_be_handled
    %i[KILL NONESUCH VTALRM].each do |name|
      error = assert_raises(Raffia::ConfigError, name) { Raffia::Signals.with(:USR1 => -> {}, name => -> {}) { flunk } }
      assert_match(/SIG#{name}/, error.message)
      assert_equal "IGNORE", handler
    end
  end
end
