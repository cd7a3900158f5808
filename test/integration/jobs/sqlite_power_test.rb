# frozen_string_literal: true

require "test_helper"
require "support/power_cut"
require "tmpdir"
require "raffia/jobs"

# Acknowledged jobs are on disk, though SQLite itself does not flush its commits.
class JobsSQLitePowerTest < Raffia::TestCase
  Jobs = Raffia::Jobs

  # Eight threads enqueue ("+ jid"), one claims ("? jid") and acks ("- jid").
  SCRIPT = <<~'RUBY'
    require "raffia/jobs"
    $stdout.sync = true
    store = Raffia::Jobs::Store.open(ARGV.first)
    lease = store.enroll("host:1:x", {}, ttl: 600)
    job = lambda do
      item = {"class" => "NoJob", "args" => ["x" * rand(3000)]}
      Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build(item))
    end
    say = ->(sign, jids) { print(jids.map { |jid| "#{sign} #{jid}\n" }.join) }
    threads = Array.new(8) { Thread.new { loop { say.("+", store.enqueue([job.call])) } } }
    threads << Thread.new do
      loop do
        store.wait(["default"])
        claims = store.claim(lease, ["default"], 5)
        jids = claims.map { |claim| claim.item["jid"] }
        say.("?", jids)
        say.("-", jids) if store.ack(claims).all?
      end
    end
    threads.each(&:join)
  RUBY

  def setup
    super
    @dir = Dir.mktmpdir("raffia-jobs")
    %w[live kept].each { |name| Dir.mkdir(File.join(@dir, name)) }
    @shim = TestSupport::PowerCut.build(@dir) or
      skip "no disk can be pretended here: it takes Linux and a C compiler"
  end

  def teardown
    @store&.close
    FileUtils.rm_rf(@dir)
    super
  end

  # @return [Hash{String => Array<String>}] jids by what was said of them
  def cut(lines, query = nil)
    said = TestSupport::PowerCut.run(@shim, SCRIPT, "sqlite:#{@dir}/live/jobs.db#{query}",
      lines: lines, match: "/live/jobs.db", kept: "#{@dir}/kept")
    @store = Jobs::Store.open("sqlite:#{@dir}/kept/jobs.db")
    said.group_by { |line| line[0] }.transform_values { |of_sign| of_sign.map { |line| line[2..] } }
  end

  def kept = %i[queue running].flat_map { |set| @store.entries(set, limit: 1_000_000).map(&:jid) }

  # Far enough for SQLite to have moved some of its log to the database.
  def test_nothing_that_was_acknowledged_is_lost
    said = cut(2000)
    assert_empty said["+"] - said["?"] - kept
    assert_empty said["-"] & kept
    assert_equal [], @store.check
  end

  # Or the test would show nothing.
  def test_without_flushes_it_is_lost
    said = cut(100, "?synchronous=normal")
    refute_empty said["+"] - said["?"] - kept
    assert_equal [], @store.check
  end
end
