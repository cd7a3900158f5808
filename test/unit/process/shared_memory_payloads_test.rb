# frozen_string_literal: true

require "test_helper"
require "objspace"
require "raffia/process"

class SharedMemoryPayloadsTest < Raffia::TestCase
  Payloads = Raffia::Process::SharedMemoryPayloads

  def setup
    skip "no payloads here" unless (@here, @there = Payloads.pair)
  end

  def teardown = [@here, @there].each { |payloads| payloads&.close }

  def mappings = File.read("/proc/self/maps").scan("/memfd:raffia").size

  # The stack may hold unused objects: the test makes them in a thread, which ends with its stack.
  def elsewhere(&) = Thread.new(&).value

  def test_contents_arrive_message_by_message
    long, short = Random.new(1).bytes(1_000_000), "short"
    assert(@here.send([long, short, ""]))
    assert(@here.send(["next"]))
    assert_equal([long, short, ""], @there.receive)
    assert_equal(["next"], @there.receive)
  end

  def test_both_ways
    @there.send(["up"])
    assert_equal(["up"], @here.receive)
  end

  def test_a_buffer_arrives_as_its_bytes
    @here.send([IO::Buffer.for("bytes")])
    assert_equal(["bytes"], @there.receive)
  end

  def test_a_long_string_is_not_copied_and_is_a_string_like_others
    @here.send(["x" * 4_000_000])
    string = @there.receive.first
    assert_operator(ObjectSpace.memsize_of(string), :<, 1_000)
    refute_predicate(string, :frozen?)
    part, copy = string[1_000_000..], string.dup
    key = {string => 1}.keys.first
    string << "end"
    string.setbyte(0, 65)
    assert_equal("A#{"x" * 3_999_999}end", string)
    [copy, key, Marshal.load(Marshal.dump(key))].each { |same| assert_equal("x" * 4_000_000, same) }
    assert_equal("x" * 3_000_000, part)
  end

  # Some, because a stack may hold a word of an unused one.
  def test_parts_keep_the_memory_and_the_last_gives_it_back
    held, right, left = in_child do
      tails = elsewhere do
        Array.new(20) do
          @here.send(["x" * 300_000 + "tail" * 100_000]) && @there.receive.first[300_000..]
        end
      end
      elsewhere { GC.start }
      found = [mappings, tails.uniq == ["tail" * 100_000]]
      tails.each(&:clear)
      elsewhere { GC.start }
      [*found, mappings]
    end
    assert_operator(held, :>=, 20)
    assert(right)
    assert_operator(left, :<, 5)
  end

  def test_a_child_has_its_own_copy
    @here.send(["x" * 1_000_000])
    string = @there.receive.first
    ::Process.wait(fork do
      string.setbyte(0, 65)
      string = nil
      GC.start
      exit!
    end)
    assert_equal("x" * 1_000_000, string)
  end

  def test_thousands_of_mappings_are_not_ours_to_take
    content = "x" * 300_000
    found, sizes = in_child do
      strings = Array.new(4_200) { @here.send([content]) && @there.receive.first }
      [mappings, strings.map(&:bytesize).uniq]
    end
    assert_operator(found, :<=, 4_096)
    assert_equal([300_000], sizes)
  end

  def test_too_many_for_one_message
    refute(@here.send(["x"] * (Payloads::MOST + 1)))
    assert(@here.send(["x"] * Payloads::MOST))
    assert_equal(["x"] * Payloads::MOST, @there.receive)
  end

  def test_a_sender_never_waits
    sent = 0
    sent += 1 while sent < 10_000 && @here.send(["x"])
    assert_operator(sent, :<, 10_000)
    assert_equal(["x"], @there.receive)
    assert(@here.send(["x"]))
  end

  def test_nothing_was_sent
    assert_raises(Errno::EAGAIN) { @there.receive }
  end

  def test_the_other_side_is_gone
    @there.close
    refute(@here.send(["x"]))
    assert_raises(SystemCallError) { @here.receive }
  end

  # Mappings (until the next collection) and limits (for good) stay in the child.
  def in_child
    reader, writer = IO.pipe
    GC.start
    pid = fork do
      writer.write(Marshal.dump(yield))
    rescue Exception => error # standard:disable Lint/RescueException
      writer.write(Marshal.dump(error.class.name))
    ensure
      writer.flush
      exit!
    end
    writer.close
    Marshal.load(reader.read).tap { ::Process.wait(pid) }
  ensure
    reader.close
  end

  def limited(kind, value)
    in_child do
      ::Process.setrlimit(kind, value)
      yield
    end
  end

  def test_no_memory_to_be_had
    refute(limited(:FSIZE, 1_000) { @here.send(["x" * 100_000]) })
  end

  def test_no_descriptors_to_be_had
    refute(limited(:NOFILE, 3) { @here.send(["x"]) })
    @here.send(["x", "y"])
    assert_equal("Errno::EMFILE", limited(:NOFILE, 3) { @there.receive })
  end

  # In a program of its own, which has no memory that it could do without.
  def test_no_room_to_map_it
    script = <<~RUBY
      require "raffia/process"
      here, there = Raffia::Process::SharedMemoryPayloads.pair
      content = "x" * 40_000_000
      here.send([content])
      size = File.read("/proc/self/status")[/^VmSize:\\s+(\\d+)/, 1].to_i * 1024
      Process.setrlimit(:AS, size + 1_000_000)
      begin
        there.receive
      rescue NoMemoryError => error
        print error.class, content.bytesize
      end
    RUBY
    out = output_of(script)
    assert_equal("NoMemoryError40000000", out)
  end
end
