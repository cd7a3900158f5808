# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/simulation"

class SimulationScheduleTest < Raffia::TestCase
  Schedule = Raffia::Simulation::Schedule

  def test_the_text_form_keeps_everything
    parsed = Schedule.parse(schedule.to_s)

    assert_equal schedule, parsed
    assert_equal [7, [0, 3, 0, 0, 200, 0], [1, 2, 3, 4, 5, 65_535], "3.4.5", :none, "pct"],
      [parsed.seed, parsed.choices, parsed.prints, parsed.ruby, parsed.preempt, parsed.strategy]
    assert_match(/\Ars1:[\w-]+\z/, schedule.to_s)
  end

  def test_random_schedules_survive_the_text_form
    random = Random.new(5)
    200.times do
      size = random.rand(300)
      choices = Array.new(size) { (random.rand < 0.8) ? 0 : random.rand(100_000) }
      one = Schedule.new(seed: random.rand(1 << 70), choices: choices,
        prints: Array.new(size) { random.rand(65_536) })
      assert_equal [one.seed, choices, one.prints],
        Schedule.parse(one.to_s).then { |other| [other.seed, other.choices, other.prints] }
    end
  end

  def test_garbage_is_refused
    text = schedule.to_s
    {"" => /does not begin with rs1:/, "hello" => /does not begin/, "rs2:AAAA" => /format is rs2/,
     "rs1:" => /damaged/, "rs1:!!!" => /damaged/, text[0..-3] => /damaged/,
     text.sub(/(.)\z/) { ($1 == "A") ? "B" : "A" } => /damaged/, "\xff\xfe" => /does not begin/}
      .each { |garbage, message| assert_refused(message) { Schedule.parse(garbage) } }
  end

  def test_damaged_bytes_with_a_right_checksum_are_refused
    body = schedule.to_s.delete_prefix("rs1:").tr("-_", "+/").then { |text|
      text.ljust((text.size + 3) / 4 * 4, "=").unpack1("m0")
    }[0...-4]
    random = Random.new(3)
    refused = Array.new(500) { damaged(body, random) }.count { |text| refused?(text) }
    assert_operator refused, :>, 100
  end

  def test_a_count_cannot_ask_for_memory_that_the_text_has_not
    body = "\x01a\x01b\x01c\x017".b + [1 << 60].pack("w")
    assert_refused(/damaged/) { Schedule.parse(text_of(body)) }
  end

  def test_too_long_a_text_is_refused
    assert_refused(/longer than/) { Schedule.parse("rs1:" + "A" * Schedule::Format::MAX_BYTES) }
  end

  def test_files_hold_comments
    Dir.mktmpdir do |folder|
      path = File.join(folder, "a.rs1")
      schedule.save(path, comment: "one\ntwo")

      assert_equal ["# one", "# two", schedule.to_s], File.readlines(path, chomp: true)
      assert_equal schedule, Schedule.load(path)
      assert_equal schedule, Schedule.of(path)
      assert_equal schedule, Schedule.of(schedule.to_s)
      assert_refused(/cannot be read: No such file/) { Schedule.load(path + "x") }
      File.write(path, "x")
      assert_refused(/\A#{path}: .*does not begin/) { Schedule.load(path) }
      assert_refused(/cannot be written/) { schedule.save(File.join(folder, "none", "a")) }
    end
  end

  private

  def schedule
    Schedule.new(seed: 7, choices: [0, 3, 0, 0, 200, 0], prints: [1, 2, 3, 4, 5, 65_535],
      ruby: "3.4.5", preempt: :none, strategy: "pct")
  end

  def text_of(body)
    "rs1:" + [body + [Zlib.crc32(body)].pack("N")].pack("m0").tr("+/", "-_").delete("=")
  end

  def damaged(body, random)
    copy = body.dup
    copy.setbyte(random.rand(copy.bytesize), random.rand(256))
    text_of(copy)
  end

  def refused?(text)
    Schedule.parse(text)
    false
  rescue Raffia::ConfigError
    true
  end
end
