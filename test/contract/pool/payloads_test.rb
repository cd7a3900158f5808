# frozen_string_literal: true

require_relative "pool_contract"

# Data that is too long for a pipe, on its way to worker processes and back.
class PoolPayloadsTest < Raffia::TestCase
  LONG = 300_000
  Page = Struct.new(:title, :text)

  def run_on(**options)
    assert_no_leaks { yield({on: :processes, workers: 2}.merge(options)) }
  end

  def text(letter, size = LONG) = letter * size

  def same(expected, actual) = assert_equal(expected.hash, actual.hash)

  def test_long_items_and_results
    run_on do |on|
      items = Array.new(40) { |n| text((97 + n % 26).chr, 60_000 + n * 10_000) }
      same(items.map(&:upcase), Raffia.map(items, **on, &:upcase))
      same(items.map(&:upcase), Raffia.map(items.each, **on, &:upcase))
      same(items.map(&:upcase), Raffia.map(items.each, chunk: 5, **on, &:upcase))
    end
  end

  def test_encodings_are_kept
    run_on do |on|
      items = [text("ä"), text("x").b, text("y").force_encoding("UTF-16LE")]
      results = Raffia.map(items.each, **on) { |item| [item.encoding.name, item] }
      assert_equal(items.map { |item| item.encoding.name }, results.map(&:first))
      same(items, results.map(&:last))
      assert_equal(items.map(&:encoding), results.map { |result| result.last.encoding })
    end
  end

  def test_inside_of_arrays_hashes_and_structs
    run_on do |on|
      items = [[text("a"), 1], {key: text("b"), small: "s"}, Page.new("title", text("c")),
        [[text("d"), nil], "e"]]
      same(items.map(&:inspect), Raffia.map(items.each, **on) { |item| item }.map(&:inspect))
      same(items.map(&:inspect), Raffia.map(items, **on) { |item| item }.map(&:inspect))
    end
  end

  def test_what_was_sent_is_not_touched
    run_on do |on|
      item = {key: [text("a")].freeze}.freeze
      Raffia.each([item].each, **on) { |own| own[:key].first.setbyte(0, 65) }
      same(text("a"), item[:key].first)
    end
  end

  def test_what_is_there_twice_stays_one_object
    run_on do |on|
      long = text("a")
      ring = [long, long]
      ring << ring
      found = Raffia.map([ring].each, **on) { |own|
        [own[0].equal?(own[1]), own[2].equal?(own),
          own]
      }.first
      assert_equal([true, true], found.first(2))
      assert_same(found[2][0], found[2][1])
      assert_same(found[2], found[2][2])
    end
  end

  def test_results_can_be_changed
    run_on do |on|
      result = Raffia.map([1], **on) { text("a") }.first
      result << "b"
      result[0] = "c"
      same("c#{text("a", LONG - 1)}b", result)
    end
  end

  def test_buffers
    run_on do |on|
      items = [IO::Buffer.for("short"), IO::Buffer.for(text("a"))]
      results = Raffia.map(items.each, **on) do |buffer|
        buffer.set_string("B")
        [buffer.size, buffer]
      end
      assert_equal([5, LONG], results.map(&:first))
      same(["Bhort", "B#{text("a", LONG - 1)}"], results.map { |_, buffer| buffer.get_string })
      results.each { |_, buffer| buffer.set_value(:U8, 0, 1) }
      assert_equal([0], Raffia.map([0], **on) { |size| IO::Buffer.new(size) }.map(&:size))
    end
  end

  def test_more_than_one_message_carries
    run_on(chunk: 100) do |on|
      items = Array.new(100) { |n| text(n.to_s, 80_000) }
      same(items.map(&:succ), Raffia.map(items.each, **on, &:succ))
    end
  end

  def test_among_many_small_ones
    run_on(chunk: 5_000) do |on|
      items = Array.new(5_000) { |n| n }
      items[4_999] = items[10] = text("a")
      same(items, Raffia.map(items.each, **on) { |item| item })
    end
  end

  def test_folds_and_standing_pools
    run_on do |on|
      same(text("a") * 3, Raffia.reduce([text("a")] * 3, **on) { |a, b| a + b })
      Raffia::Pool.open(**on, work: ->(a, b) { a + b }) do |pool|
        same([text("a") + "b"] * 3, Array.new(3) { pool.submit(text("a"), "b") }.map(&:value))
      end
    end
  end

  def test_a_result_that_cannot_be_dumped_beside_a_long_one
    run_on(chunk: 2) do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1, 2], **on) { |n| (n == 2) ? -> {} : text("a") }
      end
      assert_equal(1, error.index)
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1, 2], **on) { |n| (n == 2) ? -> {} : IO::Buffer.for("a") }
      end
      assert_equal(1, error.index)
      Raffia::Pool.open(on: :processes, workers: 1,
        work: ->(n) { (n == 2) ? -> {} : [text("a"), IO::Buffer.for("a")] }) do |pool|
        futures = [1, 2, 3].map { |n| pool.submit(n) }
        assert_equal([:done, :failed, :done], futures.map { |future| future.wait.status })
        same(text("a"), futures.last.value.first)
      end
    end
  end

  # In a process of its own, because a limit that was lowered stays.
  def test_where_the_system_gives_no_memory_the_pipe_does_it
    script = <<~RUBY
      Process.setrlimit(:FSIZE, 10_000)
      require "raffia/pool"
      items = ["a", "b", "c"].map { |letter| letter * 300_000 }
      print Raffia.map(items.each, on: :processes, workers: 2) { |item|
        [item.upcase, IO::Buffer.for(item[..9])]
      }
        .map { |text, buffer| [text.size, text[-1], buffer.get_string[0]] }.inspect
    RUBY
    out = output_of(script)
    assert_equal('[[300000, "A", "a"], [300000, "B", "b"], [300000, "C", "c"]]', out)
  end

  def test_without_payloads_the_pipe_does_it
    codec = Raffia::Executor::Processes::PayloadCodec.new(nil)
    value = [text("ä"), {a: IO::Buffer.for("b")}]
    loaded = codec.load(codec.dump(value))
    assert_equal([value.first, "b"], [loaded.first, loaded.last[:a].get_string])
  end

  def test_a_worker_that_is_killed_with_payloads_under_way_leaves_nothing
    run_on(workers: 1) do |on|
      assert_raises(Raffia::WorkerDied) do
        Raffia.each(Array.new(4) { text("a") }.each, chunk: 1, **on) do |_|
          ::Process.kill(:KILL, ::Process.pid)
        end
      end
    end
  end

  # Its pipes do not end: a grandchild holds them.
  def die_soon
    fork { sleep(PATIENCE) }.tap do
      Thread.new { sleep(0.05) && ::Process.kill(:KILL, ::Process.pid) }
    end
  end

  PATIENCE = 20
  PAUSE = 0.3

  # The work arrives after its worker has died.
  def test_a_worker_that_dies_while_it_is_idle
    run_on(workers: 1, chunk: 1) do |on|
      reader, writer = IO.pipe
      items = Enumerator.new do |all|
        [text("a"), text("b")].each { |item| (all << item) && sleep(PAUSE) }
      end
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.each(items, **on) { |_| writer.puts(die_soon) }
      end
      assert_equal(["SIGKILL", 1], [error.signal, error.index])
    ensure
      ::Process.kill(:KILL, reader.gets.to_i)
      [reader, writer].each(&:close)
    end
  end

  # It was seen before they were taken, although its frame had been read.
  def test_a_worker_that_dies_before_its_payloads_were_taken
    here, there = Raffia::Process::SharedMemoryPayloads.pair
    skip "no payloads here" unless here
    frame = Raffia::Executor::Processes::PayloadCodec.new(there).dump([text("a")])
    here.close
    assert_raises(IOError) { Raffia::Executor::Processes::PayloadCodec.new(here).load(frame) }
    refute(here.send([text("a")]))
  ensure
    there&.close
  end

  class Bare < BasicObject; end

  def test_what_has_no_methods
    run_on do |on|
      assert_operator(Bare, :===, Raffia.map([[Bare.new]].each, **on) { |item| item }.first.first)
    end
  end

  def test_keys_that_have_changed_since
    run_on do |on|
      hash = {(key = [1]) => text("a")}
      key << 2
      same([[[1, 2], text("a")]], Raffia.map([hash].each, **on) { |item| item.to_a }.first)
    end
  end

  def nested(depth) = depth.times.reduce(nil) { |inner, _| [inner] }

  def test_what_is_nested_too_deeply
    run_on do |on|
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1, 2], chunk: 2, **on) { |n| (n == 2) ? nested(200_000) : n }
      end
      assert_equal(1, error.index)
      error = assert_raises(Raffia::NotDumpable) do
        Raffia.map([1, nested(200_000)].each, chunk: 2, **on) { |n| n }
      end
      assert_equal(1, error.index)
    end
  end

  class Mute < StandardError
    def initialize = @undumpable = -> {}

    def message = raise("nothing to say")
  end

  def test_exceptions_without_words
    Raffia::Pool.open(on: :processes, workers: 1,
      work: ->(n) { (n == 1) ? raise(Mute) : n }) do |pool|
      failed, done = pool.submit(1), pool.submit(2)
      assert_includes(failed.wait.error.message,
        "PoolPayloadsTest::Mute (whose message raises RuntimeError)")
      assert_equal(2, done.value)
    end
  end
end
