# frozen_string_literal: true

# A fair queue beside a plain one, with 1,000 to 1,000,000 jobs that wait, half of them one
# tenant's: CPU time of an enqueue, and of a claim of 50 jobs with its acknowledgement, of the
# client and the server. Then a queue of jobs whose rate is closed: how long another key's job
# waits that came after them.
#
#     ruby -Ilib bench/jobs_fairness.rb [redis folder postgres]
#
# JOBS=1000,10000,100000 CLOSED=20000 are the numbers of jobs.

require "raffia/jobs"
require "tmpdir"
require_relative "jobs/databases"
require_relative "jobs/usage"
require_relative "jobs/work"

module JobsBench
  # See above.
  class Fairness
    CLAIM = 50
    CLAIMS = 40
    TENANTS = 100_000
    SLICE = 1000

    def initialize(database)
      @store = Raffia::Jobs::Store.open(database.url)
      @server = Usage.new(database.pid)
      @own = Usage.new(Process.pid)
      @lease = @store.enroll("bench:1:1", {"hostname" => "bench"}, ttl: 600)
    end

    # @return [Array<Float>] us of a plain and a fair enqueue, and of 50 claims of each
    def queues(jobs)
      tenants = (jobs / 10).clamp(1, TENANTS)
      enqueues = [plain(jobs), fair(jobs, tenants)]
      rounds = Array.new(3) { [claims("plain", jobs), claims("fair", jobs)] }
      [*enqueues, *rounds.transpose.map { |some| some.sort[1] }]
    end

    # @return [Array] seconds until the other key's job is claimed, and the number of claims
    def closed(jobs)
      rate = {"name" => "X", "allow" => 1, "per" => 86_400, "style" => "window"}
      enqueue(jobs) { |number| draft(number, "rated", "rate" => {**rate, "key" => "closed"}) }
      @store.enqueue([draft(-1, "rated", "rate" => {**rate, "key" => "other"})])
      began = Work.now
      (1..).each do |count|
        found = @store.claim(@lease, ["rated"], CLAIM)
        break [Work.now - began, count] if found.any? { |claim| claim.item["args"] == [-1] }
      end
    end

    private

    def plain(jobs) = enqueue(jobs) { |number| draft(number, "plain") }

    def fair(jobs, tenants)
      enqueue(jobs) do |number|
        key = number.even? ? "whale" : (number % tenants).to_s
        draft(number, "fair", "fair" => {"key" => key})
      end
    end

    def draft(number, queue, own = nil)
      item = {"class" => "X", "args" => [number], "queue" => queue, "raffia" => own}.compact
      Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build(item))
    end

    def enqueue(jobs)
      spent = (0...jobs).each_slice(SLICE).sum do |numbers|
        drafts = numbers.map { |number| yield number }
        cpu { @store.enqueue(drafts) }
      end
      spent * 1e6 / jobs
    end

    def claims(queue, jobs)
      count = (jobs / 4 / CLAIM).clamp(1, CLAIMS)
      spent = cpu do
        count.times { @store.ack(@store.claim(@lease, [queue], CLAIM)) }
      end
      spent * 1e6 / count
    end

    def cpu
      before = @own.cpu + @server.cpu
      yield
      @own.cpu + @server.cpu - before
    end
  end
end

module JobsBench
  # Runs the block with a database of its own.
  def self.with_database(name)
    Dir.mktmpdir("jobs-fairness-", "/var/tmp") do |folder|
      File.chmod(0o755, folder)
      database = Databases::ALL.fetch(name).new(folder)
      database.start
      yield Fairness.new(database)
    ensure
      database&.stop
    end
  end
end

names = ARGV.empty? ? JobsBench::Databases::ALL.keys : ARGV.map(&:to_sym)
puts "| store | jobs | enqueue: plain, fair, us | claim and ack of 50: plain, fair, us | ratio |",
  "|---|---|---|---|---|"
names.product(ENV.fetch("JOBS", "1000,10000,100000").split(",")).each do |name, jobs|
  JobsBench.with_database(name) do |bench|
    found = bench.queues(Integer(jobs))
    puts format("| %s | %s | %.1f, %.1f | %.0f, %.0f | %.2f |", name, jobs, *found,
      found[3] / found[2])
  end
end
puts "", "| store | jobs of the closed key | the other key's job begins after, s | claims |",
  "|---|---|---|---|"
names.each do |name|
  JobsBench.with_database(name) do |bench|
    jobs = Integer(ENV.fetch("CLOSED", "20000"))
    puts format("| %s | %d | %.2f | %d |", name, jobs, *bench.closed(jobs))
  end
end
