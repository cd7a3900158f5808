# frozen_string_literal: true

require "test_helper"
require "json"
require "stringio"
require "raffia/base"

class LogTest < Raffia::TestCase
  def lines(**env)
    out = StringIO.new
    yield Raffia::Log.build(Raffia::Config.load(env.transform_keys(&:to_s)), out: out)
    out.string.lines
  end

  def test_text
    line = lines { |log| log.warn("careful") }.first
    assert_match(
      /\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z WARN  raffia\[#{::Process.pid}\]: careful\n\z/, line
    )
  end

  def test_level
    assert_empty(lines { |log| log.info("quiet") })
    assert_equal 1, lines(RAFFIA_LOG: "debug") { |log| log.debug("loud") }.size
    assert_empty(lines(RAFFIA_LOG: "off") { |log| log.fatal("silent") })
  end

  def test_hashes_and_errors
    out = lines do |log|
      log.warn({job: "a b", class: "A::B", tries: 3})
      log.warn(IOError.new("broken"))
    end
    assert_match(/job="a b" class=A::B tries=3$/, out[0])
    assert_match(/broken \(IOError\)/, out[1])
  end

  class Speechless < StandardError
    def message = raise("no words")
  end

  class Cryptic < StandardError
    def detailed_message(**) = raise(ArgumentError)
  end

  def test_errors_whose_message_raises
    need_cruby "full_message asks the error for its message"
    found = [Speechless, Cryptic].map do |kind|
      Raffia::Log.full(begin
        raise kind, "for a reason"
      rescue
        $!
      end).lines
    end # standard:disable Style/RescueModifier
    worse = "to say more of it raised RuntimeError"
    assert_match(
      /\A#{Regexp.escape(__FILE__)}:\d+:.*: no message \(LogTest::Speechless; #{worse}\)$/,
      found.first.first
    )
    assert_match(/: for a reason \(LogTest::Cryptic; to say more of it raised ArgumentError\)$/,
      found.last.first)
    assert(found.all? { |_, *others|
      others.any? &&
          others.all? { |line| line.start_with?("\tfrom ") }
    })
    assert_match(/: no message \(LogTest::Speechless;/, Raffia::Log.full(Speechless.new))
  end

  def test_json
    out = lines(RAFFIA_LOG_FORMAT: "json") do |log|
      log.warn("careful\nnow")
      log.error({job: 5})
      log.warn(IOError.new("broken"))
    end
    first, second, third = out.map { |line| JSON.parse(line, symbolize_names: true) }
    assert_equal ["warn", "raffia", "careful\nnow", ::Process.pid],
      first.values_at(:level, :name, :message, :pid)
    assert_equal ["error", 5], second.values_at(:level, :job)
    assert_equal %w[broken IOError], third.values_at(:message, :error)
  end
end
