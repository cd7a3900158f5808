# frozen_string_literal: true

require "test_helper"
require "raffia/base"
require "raffia/process"

class FramedPipeTest < Raffia::TestCase
  def setup
    @read, @write = IO.pipe
    @reader = Raffia::Process::FramedPipe::Reader.new(@read)
    @writer = Raffia::Process::FramedPipe::Writer.new(@write)
  end

  def teardown = [@read, @write].each(&:close)

  def test_frames_come_out_as_they_went_in
    frames = ["a", "", "\x00\xFF".b, "x" * 1000]
    frames.each { |frame| assert(@writer.write(frame)) }
    assert_equal(frames, frames.map { @reader.read })
  end

  def test_a_frame_larger_than_the_pipe
    big = Random.new(1).bytes(1_000_000)
    writing = Thread.new { @writer.write(big) && @writer.write("after") }
    assert_equal([big, "after"], [@reader.read, @reader.read])
    assert(writing.value)
  end

  def test_a_frame_that_arrives_byte_by_byte
    reading = Thread.new { @reader.read }
    [[5].pack("N"), "hello"].join.each_char { |char| @write.write(char) }
    assert_equal("hello", reading.value)
  end

  def test_the_end_between_frames_and_within_one
    @writer.write("whole")
    @write.write([100].pack("N") + "only a part")
    @write.close
    assert_equal(["whole", nil, nil], [@reader.read, @reader.read, @reader.read])
  end

  def test_nobody_reads_any_more
    @read.close
    refute(@writer.write("x"))
    @write.close
    refute(@writer.write("x"))
  end

  def test_a_reader_that_is_closed_by_another_thread_gets_nil
    reading = Thread.new { @reader.read }
    wait_until { reading.status == "sleep" }
    @reader.close
    assert_nil(reading.value)
  end

  def test_what_had_arrived_survives_a_close
    @writer.write("one")
    @writer.write("two")
    assert_equal("one", @reader.read)
    @reader.close
    assert_equal("two", @reader.read)
    assert_nil(@reader.read)
  end

  def test_drained_tells_whether_a_dead_writer_has_left_something
    assert_predicate(@reader, :drained?) # somebody holds the pipe open, and nothing is in it
    @writer.write("x")
    refute_predicate(@reader, :drained?)
    @reader.read
    @write.close
    refute_predicate(@reader, :drained?)
    @reader.read
    assert_predicate(@reader, :drained?)
    @read.close
    assert_predicate(@reader, :drained?)
  end

  def test_room_is_half_of_the_pipe
    assert(@writer.room_for?("x" * 1000))
    refute(@writer.room_for?("x" * @writer.capacity))
  end

  def test_a_frame_that_no_length_can_announce
    monster = Object.new
    def monster.bytesize = 0x1_0000_0000
    assert_match(/too long/, assert_raises(ArgumentError) { @writer.write(monster) }.message)
  end
end
