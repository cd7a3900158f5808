# frozen_string_literal: true

require_relative "engine_contract"

module EngineTests
  # The classes of the contract, one for each back end that works here.
  WORKING = Raffia::Engine.probe.filter_map { |found| found[:name] if found[:ok] }

  WORKING.each do |name|
    suite = Class.new(Raffia::TestCase) do
      include EngineContract

      define_method(:backend) { name }
      define_method(:open_engine) { Raffia::Engine.open(name) }
    end
    const_set(:"#{name.to_s.capitalize}Test", suite)
  end

  # Transfers that the kernel does by itself.
  class TransferTest < Raffia::TestCase
    include EngineContract

    EngineContract.public_instance_methods(false).grep(/\Atest_/).each { |test| undef_method(test) }

    def setup
      skip("no back end here knows transfers") unless WORKING.include?(:uring)
      super
    end

    def backend = :uring

    def open_engine = Raffia::Engine.open(:uring)

    def test_it_knows_transfers
      assert_predicate engine, :transfers?
    end

    def test_reading_and_writing
      reader, writer = pipe
      with_buffer(8) do |buffer|
        engine.read(reader, buffer, 2, nil, :read)
        assert_predicate buffer, :locked?
        assert_empty now
        writer << "abc"
        assert_equal [[:read, 3]], completions(1)
        refute_predicate buffer, :locked?
        assert_equal "abc", buffer.get_string(2, 3)
        engine.write(writer, buffer, 3, nil, :write)
        assert_equal [[:write, 5]], completions(1)
        assert_equal "bc", reader.readpartial(10).delete("\0")
      end
    end

    def test_peeking_at_the_completion_unlocks_the_buffer
      reader, writer = pipe
      writer << "abc"
      with_buffer(8) do |buffer|
        engine.read(reader, buffer, 0, nil, :read)
        wait_until { engine.poll(0).positive? }
        assert_predicate buffer, :locked?
        assert_equal [:read, 3], [engine.peek, engine.result]
        refute_predicate buffer, :locked?
        assert_equal :read, engine.shift
        refute_predicate buffer, :locked?
      end
    end

    def test_files_with_a_position_and_without
      Tempfile.create("engine") do |file|
        with_buffer(6) do |buffer|
          buffer.set_string("abcdef")
          engine.write(file, buffer, 0, nil, :w)
          assert_equal [[:w, 6]], completions(1)
          engine.write(file, buffer, 4, 0, :w)
          assert_equal [[:w, 2]], completions(1)
          engine.read(file, buffer, 3, 2, :r)
          assert_equal [[:r, 3]], completions(1)
          assert_equal "abccde", buffer.get_string
          assert_equal 6, file.pos, "only the first moved the position"
        end
      end
    end

    def test_errors_are_results
      reader, = pipe
      with_buffer(4) do |buffer|
        engine.write(reader, buffer, 0, nil, :wrong_way)
        assert_equal [[:wrong_way, EBADF]], completions(1)
        refute_predicate buffer, :locked?
      end
    end

    def test_a_buffer_that_was_locked_stays_so
      reader, writer = pipe
      writer << "abc"
      with_buffer(4) do |buffer|
        buffer.locked do
          engine.read(reader, buffer, 0, nil, :read)
          assert_equal [[:read, 3]], completions(1)
          assert_predicate buffer, :locked?
        end
        refute_predicate buffer, :locked?
      end
    end

    def test_a_transfer_that_is_called_off_completes_all_the_same
      reader, = pipe
      with_buffer(4) do |buffer|
        id = engine.read(reader, buffer, 0, nil, :read)
        engine.poll(0)
        case engine.disarm(id)
        when false then assert_equal [[:read, -Errno::ECANCELED::Errno]], completions(1)
        when nil then assert_equal [:read], completions(1).map(&:first)
        else flunk "the kernel still has the buffer"
        end
        refute_predicate buffer, :locked?
        assert_nil engine.disarm(id)
      end
    end

    def test_close_with_transfers_under_way_gives_the_buffers_back
      buffers = Array.new(5) { IO::Buffer.new(16) }
      reader, writer = pipe
      buffers.each { |buffer| engine.read(reader, buffer, 0, nil, buffer.object_id) }
      writer << "x"
      wait_until { engine.poll(0).positive? } # one has completed and is not shifted
      engine.close
      refute(buffers.any?(&:locked?))
      buffers.each(&:free)
    end

    def test_bad_arguments_leave_the_buffer_unlocked
      reader, = pipe
      with_buffer(4) do |buffer|
        assert_raises(ArgumentError) { engine.read(reader, buffer, 5, nil, :x) }
        assert_raises(TypeError) { engine.read(reader, buffer, nil, nil, :x) }
        assert_raises(TypeError) { engine.read(reader, buffer, 0, "x", :x) }
        assert_raises(SystemCallError) { engine.read(reader, buffer, 0, -2, :x) }
        assert_raises(IOError) { engine.read(closed_io, buffer, 0, nil, :x) }
        assert_raises(Errno::EBADF) { engine.read(-1, buffer, 0, nil, :x) }
        refute_predicate buffer, :locked?
      end
      assert_raises(TypeError) { engine.read(reader, "text", 0, nil, :x) }
      assert_equal 0, engine.pending
    end

    def test_buffers_that_only_the_engine_holds
      readers = Array.new(10) { |i| pipe.tap { |_, writer| writer << "text #{i}" }.first }
      stressed do
        readers.each do |reader|
          engine.read(reader, IO::Buffer.new(16), 0, nil, "data #{reader.fileno}")
        end
      end
      move_everything
      assert_equal readers.map { |reader| ["data #{reader.fileno}", 6] }.sort, completions(10).sort
    end

    def test_a_forked_child_touches_no_buffer_of_the_parents_kernel
      reader, writer = pipe
      with_buffer(8) do |buffer|
        engine.read(reader, buffer, 0, nil, :read)
        engine.poll(0)
        assert_equal([nil, true], in_child { [engine.close, engine.closed?] })
        writer << "abc"
        assert_equal [[:read, 3]], completions(1)
        assert_equal "abc", buffer.get_string(0, 3)
      end
    end
  end

  # Cases of the compiled one only.
  class NativeTest < Raffia::TestCase
    NATIVE = WORKING - [:select]

    def setup = NATIVE.empty? && skip("the extension is not built for this Ruby")

    def test_misuse
      native = Raffia::Engine::Native
      assert_raises(ArgumentError) { native.new("kqueue9", false) }
      assert_raises(TypeError) { native.new(:epoll, false) }
      assert_match(/without it/, native.probe("kqueue9"))
      blank = native.allocate
      assert_predicate blank, :closed?
      assert_nil blank.close
      assert_nil blank.shift
      assert_nil blank.name
      assert_raises(IOError) { blank.poll(0) }
      engine = native.new(NATIVE.last.name, false)
      assert_raises(TypeError) { engine.send(:initialize, NATIVE.last.name, false) }
      assert_predicate engine.dup, :closed?
    ensure
      engine&.close
    end

    def test_one_that_sleeps_cannot_be_used_by_others
      NATIVE.each do |name|
        opened = Thread::Queue.new
        sleeper = Thread.new do
          opened << (own = Raffia::Engine.open(name))
          own.poll
        ensure
          own.close
        end
        engine = opened.pop
        wait_until { sleeper.stop? }
        [-> { engine.close }, -> { engine.poll(0) }, -> { engine.arm($stdin, IO::READABLE, :x) },
          -> { engine.after(1, :x) },
          -> { engine.push(:x, 1) }, -> { engine.disarm(1) }].each do |misuse|
            assert_raises(ThreadError, &misuse)
          end
        engine.wake
        sleeper.join
      end
    end

    def test_uninterruptible
      calls = 0
      error = assert_raises(RuntimeError) do
        Raffia::Native.uninterruptible do
          calls += 1
          raise calls.to_s if calls < 4

          calls == 6
        end
      end
      assert_equal ["1", 6], [error.message, calls]
      assert_nil(Raffia::Native.uninterruptible { true })
      assert_equal(:thrown,
        catch(:ball) do
          Raffia::Native.uninterruptible { (calls += 1) > 7 || throw(:ball, :thrown) }
        end)
      assert_raises(LocalJumpError) { Raffia::Native.uninterruptible }
    end

    def test_uninterruptible_under_interrupts
      done = false
      thread = Thread.new do
        Thread.current.report_on_exception = false
        spins = 0
        Raffia::Native.uninterruptible { (spins += 1) > 200_000 && done = true }
      end
      until thread.join(0.001)
        thread.raise(IOError) if thread.alive?
      end
    rescue IOError
      assert done
    end

    def test_a_kill_is_not_forgotten
      spins = 0
      thread = Thread.new do
        Raffia::Native.uninterruptible { (spins += 1) > 1 || (Thread.current.kill && false) } &&
          spins = 100
      end
      assert_nil thread.value
      assert_equal 2, spins
    end
  end

  # Which back end is taken.
  class ChoiceTest < Raffia::TestCase
    def teardown = ENV.delete("RAFFIA_BACKEND")

    def test_probe
      found = Raffia::Engine.probe
      assert_equal Raffia::Engine::BACKENDS, found.map { |row| row[:name] }
      assert_same found, Raffia::Engine.probe, "it is done once"
      assert_predicate found, :frozen?
      found.each { |row| assert_equal row[:ok], row[:reason].nil?, row.inspect }
      assert_equal true, found.last[:ok], "select works everywhere"
    end

    def test_best
      assert_equal WORKING.first, Raffia::Engine.best
      assert_equal WORKING.first, Raffia::Engine.choose
      assert_equal WORKING.first, opened.name
    end

    def test_by_name
      WORKING.each do |name|
        assert_equal name, opened(name).name
        assert_equal name, opened(name.to_s).name
      end
    end

    def test_by_the_environment
      WORKING.each do |name|
        ENV["RAFFIA_BACKEND"] = name.to_s
        assert_equal name, opened.name
        assert_equal :select, opened(:select).name, "a name given goes first"
      end
    end

    def test_unknown_names
      ["kqueue9", :"", "URING", 7].each do |name|
        error = assert_raises(Raffia::ConfigError, name.inspect) { Raffia::Engine.open(name) }
        assert_includes error.message, Raffia::Engine::BACKENDS.join(", ")
      end
      ENV["RAFFIA_BACKEND"] = "fastest"
      assert_match(/RAFFIA_BACKEND=fastest/,
        assert_raises(Raffia::ConfigError) { Raffia::Engine.open }.message)
      ENV["RAFFIA_BACKEND"] = "iocp"
      assert_match(/iocp/, assert_raises(Raffia::ConfigError) { Raffia::Engine.best }.message)
    end

    def test_one_that_does_not_work_here
      # In a thread's own Ractor storage nothing can be replaced, so this asks a process that cannot
      # have the extension.
      script = <<~RUBY
        module Raffia
          module Native
            def self.available? = false
            def self.uninterruptible = nil
          end
        end
        $LOADED_FEATURES << #{File.expand_path("../../../lib/raffia/native.rb", __dir__).inspect}
        require "raffia/engine"
        p Raffia::Engine.best, Raffia::Engine.open.name
        begin
          Raffia::Engine.open(:epoll)
        rescue Raffia::ConfigError => error
          puts error.message
        end
      RUBY
      lib = File.expand_path("../../../lib", __dir__)
      out = IO.popen([RbConfig.ruby, "-I#{lib}", "-e", script],
        err: %i[child out], &:read)
      assert_equal ":select\n:select\nthe back end epoll does not work here: the extension is " \
      "not built for this Ruby. Use select, " \
        "or none for the best that works\n", out
    end

    private

    def opened(name = nil)
      engine = Raffia::Engine.open(name)
      engine.close
      engine
    end
  end
end
