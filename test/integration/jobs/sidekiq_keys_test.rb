# frozen_string_literal: true

require_relative "sidekiq_case"

# The same script under Sidekiq and under Raffia leaves the same in Redis: key by key, field by
# field, with the same times to live.
class JobsSidekiqKeysTest < Raffia::TestCase
  include JobsSidekiqCase

  # Each of them has keys of its own.
  OURS = /\Araffia:/
  # The hash of a process that has ended stays until its time has come.
  THEIRS = /\A(?:process_cleanup|done)\z|:\h{12}\z/

  def test_clients_leave_the_same
    @sidekiq.ask("EchoJob.perform_async(1, {'a' => []}); EchoJob.perform_bulk([[2], [3]]); " \
      "EchoJob.set(queue: 'mail', tags: ['t'], retry: 2).perform_async; EchoJob.perform_in(900, " \
      "4); 1")
    theirs = taken
    EchoJob.perform_async(1, {"a" => []})
    EchoJob.perform_bulk([[2], [3]])
    EchoJob.set(queue: "mail", tags: ["t"], retry: 2).perform_async
    EchoJob.perform_in(900, 4)
    assert_equal(theirs, taken)
  end

  def test_workers_leave_the_same
    script = "EchoJob.perform_async(1); FailingJob.perform_async(2); HopelessJob.perform_async(3)"
    @sidekiq.ask("#{script}; 1")
    @sidekiq.working do
      wait_until(LONG) { payloads("retry").any? && payloads("dead").any? && done_there.any? }
    end
    theirs = taken
    eval(script) # standard:disable Security/Eval
    working do
      wait_until(LONG) { payloads("retry").any? && payloads("dead").any? && done_here.any? }
    end
    assert_equal(theirs, taken)
  end

  def test_processes_leave_the_same_while_they_work
    @sidekiq.working(concurrency: 2) do
      wait_until(LONG) { identity && !@redis.call("HGETALL", identity).empty? }
      @theirs = [process, info]
    end
    @redis.call("FLUSHDB")
    working(concurrency: 2) do
      assert_equal(@theirs.first, process)
      # `raffia` says whose it is; `concurrency` is for those before 8.1.2, which read it here.
      assert_equal(@theirs.last, info.except("raffia", "concurrency"))
    end
  end

  private

  # @return [Hash] of all keys; the database is empty afterwards
  def taken
    keys = @redis.call("KEYS", "*").grep_v(OURS).grep_v(THEIRS)
    # Around the change of a minute there may be two of a kind.
    keys.group_by { |key| plain(key) }.transform_values do |some|
      some.map { |key| [@redis.call("TYPE", key), lifetime(key), content(key)] }.transpose
        .map { |all| all.flatten.uniq }
    end
  ensure
    @redis.call("FLUSHDB")
  end

  # Without what time it was.
  def plain(key)
    key.gsub(/\d{4}-\d\d-\d\d/, "DATE").sub(/\d{6}\|\d+:\d\d\z/, "MINUTE")
      .sub(/\d{6}\|\d+:\d\z/, "TEN MINUTES").sub(/\d+-\d+:\d+\z/, "MINUTE")
  end

  # In ten minutes.
  def lifetime(key) = (@redis.call("TTL", key) / 600.0).round

  def content(key)
    case @redis.call("TYPE", key)
    when "string" then key.start_with?("h|") ? :histogram : @redis.call("GET", key)
    when "set" then @redis.call("SMEMBERS", key).sort
    when "hash" then @redis.call("HGETALL", key).keys.grep_v(/\|ms\z/).sort
    when "list" then described(@redis.call("LRANGE", key, 0, -1))
    when "zset"
      described(@redis.call("ZRANGE", key, 0, -1)) +
        [@redis.call("ZRANGE", key, 0, 0, "WITHSCORES").flatten.last.class]
    end
  end

  # Values of fields that say what a job is, and of what kind the others are.
  def described(payloads)
    payloads.map { |payload| JSON.parse(payload) }.map do |item|
      item.to_h do |name, value|
        [name,
          %w[class args queue retry tags error_class error_message retry_count].include?(name) ?
            value : value.class]
      end
    end
  end

  def identity = @redis.call("SMEMBERS", "processes").first

  def process
    @redis.call("HGETALL", identity).except("raffia")
      .to_h { |name, value| [name, value.match?(/\A[\d.]+\z/) ? :number : value[/\A\w+/]] }
  end

  def info
    JSON.parse(@redis.call("HGET", identity, "info")).to_h { |name, value| [name, kind(value)] }
  end

  def kind(value) = (value == true || value == false) ? :flag : value.class
end
