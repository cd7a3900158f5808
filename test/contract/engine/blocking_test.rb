# frozen_string_literal: true

require_relative "engine_contract"

# The work of an engine's native threads: files, where the back end knows readiness only, and names.
module EngineBlocking
  Raffia::Engine.probe.each do |found|
    next if !found[:ok] || found[:name] == :select

    suite = Class.new(Raffia::TestCase) do
      include EngineContract

      EngineContract.public_instance_methods(false).grep(/\Atest_/)
        .each { |test| undef_method(test) }
      include EngineBlocking

      define_method(:backend) { found[:name] }
      define_method(:open_engine) { Raffia::Engine.open(found[:name]) }
    end
    const_set(:"On#{found[:name].capitalize}Test", suite)
  end

  # -- files

  def test_a_file_is_read_and_written
    assert_predicate engine, :transfers?
    file do |file|
      with_buffer(8) do |buffer|
        buffer.set_string("abcdefgh")
        engine.write(file, buffer, 2, nil, :write)
        assert_predicate buffer, :locked?
        assert_equal [[:write, 6]], completions(1)
        refute_predicate buffer, :locked?
        engine.write(file, buffer, 6, 1, :at)
        assert_equal [[:at, 2]], completions(1)
        engine.read(file, buffer, 0, 0, :read)
        assert_equal [[:read, 6]], completions(1)
        assert_equal "cghfgh", buffer.get_string(0, 6)
      end
    end
  end

  def test_the_end_of_a_file
    file("abc") do |file|
      with_buffer(8) do |buffer|
        {1 => 2, 3 => 0, 2**40 => 0}.each do |from, count|
          engine.read(file, buffer, 0, from, :read)
          assert_equal [[:read, count]], completions(1)
        end
      end
    end
  end

  def test_errors_are_the_results
    with_buffer(1) do |buffer|
      file do |file|
        only = keep(File.open(file.path))
        engine.write(only, buffer, 0, 0, :write)
        assert_equal [[:write, -Errno::EBADF::Errno]], completions(1)
      end
      engine.read(keep(File.open(Dir.tmpdir)), buffer, 0, 0, :read)
      assert_equal [[:read, -Errno::EISDIR::Errno]], completions(1)
    end
  end

  # A native thread would wait there for as long as the other side likes.
  def test_only_files_are_left_to_threads
    reader, writer = pipe
    with_buffer(1) do |buffer|
      if backend == :uring
        engine.read(reader, buffer, 0, nil, :read)
        writer << "x"
        assert_equal [[:read, 1]], completions(1)
      else
        assert_raises(Errno::ENOTSUP) { engine.read(reader, buffer, 0, nil, :read) }
        assert_raises(Errno::ENOTSUP) { engine.write(writer, buffer, 0, nil, :write) }
        refute_predicate buffer, :locked?
        assert_equal 0, engine.pending
      end
    end
  end

  def test_transfers_that_are_called_off_complete_all_the_same
    with_one_thread do
      file("x" * 100) do |file|
        buffers = Array.new(100) { IO::Buffer.new(100) }
        ids = buffers.each_with_index.map { |buffer, i| engine.read(file, buffer, 0, 0, i) }
        ids.each { |id| assert_includes [nil, false], engine.disarm(id) }
        results = completions(100)
        assert_equal (0...100).to_a, results.map(&:first).sort
        assert_empty results.map(&:last) - [100, -Errno::ECANCELED::Errno]
        assert_equal 0, engine.pending
        buffers.each do |buffer|
          refute_predicate buffer, :locked?
          buffer.free
        end
      end
    end
  end

  def test_a_close_waits_for_transfers
    file("x" * 100) do |file|
      buffers = Array.new(50) { IO::Buffer.new(100) }
      buffers.each { |buffer| engine.read(file, buffer, 0, 0, :read) }
      engine.close
      buffers.each do |buffer|
        refute_predicate buffer, :locked?
        buffer.free
      end
    end
  end

  def test_many_loops_share_the_threads
    file((0..255).map(&:chr).join) do |file|
      threads = Array.new(4) do
        Thread.new do
          own = open_engine
          with_buffer(1) do |buffer|
            Array.new(200) do |i|
              own.read(file, buffer, 0, i, i)
              completions(1, own)
              buffer.get_value(:U8, 0)
            end
          end
        ensure
          own&.close
        end
      end
      threads.each { |thread| assert_equal (0...200).to_a, thread.value }
    end
    assert_operator engine.stats[:blocking][:peak], :<=, engine.stats[:blocking][:limit]
  end

  def test_collections_and_moves_while_threads_work
    file("x" * 100) do |file|
      buffers = Array.new(20) { IO::Buffer.new(100) }
      buffers.each_with_index { |buffer, i| engine.read(file, buffer, 0, 0, ["data #{i}"]) }
      names = Array.new(20) { |i| engine.resolve("127.0.0.#{i}", ["name #{i}"]) }
      20.times { engine.resolve("::1", ["forgotten"]) }
      GC.start
      GC.compact if GC.respond_to?(:compact)
      got = completions(60).map { |data, _| data.first }.tally
      assert_equal 20, got.delete("forgotten")
      assert_equal 40, got.size
      assert_equal Array.new(20) { |i| ["127.0.0.#{i}"] }, names.map(&:addresses)
      buffers.each(&:free)
    end
  end

  # -- names

  def test_names
    need_localhost
    assert_equal Addrinfo.getaddrinfo("localhost", nil, nil, :STREAM).map(&:ip_address).uniq,
      resolve("localhost")
  end

  def test_addresses
    %w[127.0.0.1 0.0.0.0 ::1 fe80::1%lo 2001:db8::5].each do |address|
      assert_equal [address], resolve(address)
    end
    assert_equal ["127.0.0.1"], resolve("127.1"), "as inet_aton reads it"
    assert_equal Encoding::US_ASCII, resolve("::1").first.encoding
  end

  def test_an_unknown_name
    expected = assert_raises(Socket::ResolutionError) do
      Addrinfo.getaddrinfo("no such name.invalid", nil)
    end
    error = assert_raises(Socket::ResolutionError) { resolve("no such name.invalid") }
    assert_equal [expected.error_code, expected.message], [error.error_code, error.message]
    assert_raises(SocketError) { resolve("") }
    assert_raises(SocketError) { resolve("x" * 1000) }
  end

  def test_invalid_names
    [nil, 7, :name].each do |name|
      assert_raises(TypeError, name.inspect) { engine.resolve(name, :x) }
    end
    assert_raises(ArgumentError) { engine.resolve("a\0b", :x) }
    assert_equal 0, engine.pending
    assert_raises(NoMethodError, TypeError) { Raffia::Engine::Resolution.new }
  end

  def test_cancelled_lookups_do_not_complete
    with_one_thread do
      kept = Array.new(60) { |i| [engine.resolve("127.0.0.1", i), i] }
      called_off = kept.select { |resolution, _| engine.disarm(resolution.id) }
      left = (kept - called_off).map(&:last)
      assert_equal left, completions(left.size).map(&:first).sort
      assert_equal 0, engine.pending
      called_off.each { |resolution, _| assert_nil engine.disarm(resolution.id) }
      assert_empty now
    end
  end

  def test_a_close_does_not_wait_for_names
    20.times { engine.resolve("no such name.invalid", :x) }
    engine.close
    assert_predicate engine, :closed?
  end

  def test_addresses_are_there_at_the_end
    resolutions = Array.new(20) { engine.resolve("127.0.0.1", :x) }
    resolutions.each { |resolution| assert_includes [nil, ["127.0.0.1"]], resolution.addresses }
    completions(20)
    resolutions.each { |resolution| assert_equal ["127.0.0.1"], resolution.addresses }
  end

  # -- the pool

  def test_no_thread_of_ruby
    file("abc") do |file|
      with_buffer(3) do |buffer|
        before = Thread.list
        engine.read(file, buffer, 0, 0, :read)
        engine.resolve("::1", :name)
        completions(2)
        assert_equal before, Thread.list
      end
    end
  end

  def test_figures
    before = engine.stats[:blocking]
    5.times { resolve("::1") }
    after = engine.stats[:blocking]
    assert_equal 5, after[:done] - before[:done]
    assert_equal [0, 0], after.values_at(:queued, :running)
    assert_operator after[:threads], :>=, 1
    assert_operator after[:longest_wait], :>, 0
  end

  def test_the_cap
    with_one_thread { assert_equal 1, engine.stats[:blocking][:limit] }
    [0, -1].each do |count|
      assert_raises(ArgumentError) { Raffia::Engine::Native.blocking_threads = count }
    end
    assert_raises(TypeError) { Raffia::Engine::Native.blocking_threads = nil }
  end

  def test_a_fork_while_busy
    file("abc") do |file|
      with_buffer(3) do |buffer|
        20.times { engine.resolve("no such name.invalid", :name) }
        said = in_child do
          own = open_engine
          own.read(file, buffer, 0, 0, :read)
          got = completions(1, own)
          names = own.resolve("::1", :name)
          got.concat(completions(1, own))
          [got, names.addresses, own.stats[:blocking][:done] >= 1]
        ensure
          own&.close
        end
        assert_equal [[[:read, 3], [:name, 0]], ["::1"], true], said
        assert_equal 20, completions(20).size
      end
    end
  end

  private

  def file(text = "")
    Tempfile.create("engine", binmode: true) do |file|
      file.write(text)
      file.flush
      file.rewind
      yield file
    end
  end

  def resolve(name)
    resolution = engine.resolve(name, :resolved)
    assert_equal [:resolved], completions(1).map(&:first)
    resolution.addresses
  end

  # So that most jobs have to wait.
  def with_one_thread
    limit = engine.stats[:blocking][:limit]
    Raffia::Engine::Native.blocking_threads = 1
    yield
  ensure
    Raffia::Engine::Native.blocking_threads = limit
  end
end
