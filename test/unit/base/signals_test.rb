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
      Raffia::Signals.with(USR1: ->(_) { got << :inner }) do
        send_signal && wait_until { got.size == 2 }
      end
      Raffia::Signals.with(chain: false, USR1: ->(_) { got << :alone }) do
        send_signal && wait_until { got.size == 3 }
      end
      send_signal
      wait_until { got.size == 4 }
    end
    assert_equal %i[inner outer alone outer], Array.new(4) { got.pop }
  end

  def test_commands
    Raffia::Signals.with(USR1: "IGNORE", USR2: "IGNORE") { assert_equal "IGNORE", handler }
  end

  def test_signals_that_cannot_be_handled
    need_cruby("which signals are refused")
    %i[KILL NONESUCH VTALRM].each do |name|
      error = assert_raises(Raffia::ConfigError, name) do
        Raffia::Signals.with(:USR1 => -> {}, name => -> {}) { flunk }
      end
      assert_match(/SIG#{name}/, error.message)
      assert_equal "IGNORE", handler
    end
  end

  def test_shared_by_threads
    got = Thread::Queue.new
    both = Array.new(2) { Thread::Queue.new }
    threads = both.map do |gate|
      Thread.new do
        Raffia::Signals.share(:USR1, ->(number) { got << number }) do
          gate << 1 && gate.push(2) && Thread.stop
        end
      end
    end
    wait_until { both.all? { |gate| gate.size == 2 } && threads.all?(&:stop?) }
    threads.each do |thread|
      send_signal
      assert_equal Signal.list["USR1"], got.pop(timeout: PATIENCE)
      thread.run && thread.join
    end
    assert_empty got, "once for each signal"
    assert_equal "IGNORE", handler
  end

  def test_sharing_with_an_earlier_handler
    got = Thread::Queue.new
    trap(:USR1) { got << :earlier }
    Raffia::Signals.share(:USR1, ->(_) { got << :ours }) do
      send_signal && wait_until { got.size == 2 }
    end
    assert_equal %i[ours earlier], [got.pop, got.pop]
    own = -> {}
    Raffia::Signals.share(:USR1, -> {}) { trap(:USR1, own) }
    assert_same own, handler
  end

  def test_shared_with_the_end_of_the_process
    need_cruby("what signals do by default")
    {HUP: SignalException, INT: Interrupt, TERM: SignalException,
     QUIT: SignalException}.each do |name, error|
      before = trap(name, "DEFAULT")
      seen = nil
      assert_raises(error) do
        Raffia::Signals.share(name, ->(number) { seen = number }) do
          ::Process.kill(name, ::Process.pid) && sleep(PATIENCE)
        end
      end
      assert_equal Signal.list[name.name], seen
      assert_equal "DEFAULT", trap(name, before)
    end
  end

  def test_shared_is_nothing_for_a_forked_child
    need_fork
    out, input = IO.pipe
    Raffia::Signals.share(:USR1, ->(_) { input << "x" }) do
      child = fork { ::Process.kill(:USR1, ::Process.pid) && exit!(0) }
      ::Process.wait(child)
    end
    input.close
    assert_equal "", out.read
  ensure
    [out, input].compact.each(&:close)
  end

  def test_shared_is_the_main_ractors
    need_ractors
    before = Warning[:experimental]
    Warning[:experimental] = false
    ractor = Ractor.new do
      Raffia::Signals.share(:USR1, nil) { nil }
    rescue Raffia::ConfigError => error
      error.message
    end
    assert_match(/main Ractor/, ractor.respond_to?(:value) ? ractor.value : ractor.take)
  ensure
    Warning[:experimental] = before
  end

  def test_whether_any_signal_is_handled
    need_cruby("what the garbage collector is kept from")
    alone = lambda do |code|
      IO.popen([RbConfig.ruby, "-I#{File.expand_path("../../../lib", __dir__)}", "-rraffia/base",
        "-e", "#{code}; p Raffia::Signals.handled?"], &:read).chomp
    end
    assert_equal "false", alone.call("at_exit { }")
    assert_equal "false\nfalse",
      alone.call("Raffia::Signals.share(:USR2, -> {}) { p Raffia::Signals.handled? }")
    assert_equal "true", alone.call("trap(:TERM) { }")
    assert_equal "true", alone.call("trap(:TERM, ->(_) { })")
    assert_equal "true\ntrue",
      alone.call("trap(:USR2) { }; Raffia::Signals.share(:USR2, -> {}) { p " \
        "Raffia::Signals.handled? }")
  end

  def test_before_exit
    program = 'require "raffia/base"; at_exit { puts :first }; Raffia::Signals.at_exit { puts ' \
      ":last }"
    assert_equal "last\nfirst\n", output_of(program)
  end
end
