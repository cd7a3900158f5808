# frozen_string_literal: true

# Job systems whose workers are killed: main.rb SYSTEM... What is taken from the environment:
# LEDGER_JOBS (5000), LEDGER_KILLS (5), LEDGER_QUIET (90: seconds without news until it is over).
# Says a row of a table for each.

require "minitest"
require "support/leaks"
require "tmpdir"
require_relative "campaign"
require_relative "raffia"
require_relative "sidekiq"
require_relative "solid_queue"

module Ledger
  module Rivals
    SYSTEMS = {
      "raffia-sqlite" => -> { Raffia }, "raffia-redis" => -> { RaffiaOnRedis },
      "sidekiq" => -> { Sidekiq }, "solid_queue" => -> { SolidQueue }
    }.freeze

    # @param what [Symbol] dies: a worker, or all, which are started again
    def self.run(name, what)
      Dir.mktmpdir("raffia-rivals-") do |dir|
        system = SYSTEMS.fetch(name).call.new(dir)
        Campaign.new(system, dir, jobs: ENV.fetch("LEDGER_JOBS", "5000").to_i,
          kills: ENV.fetch("LEDGER_KILLS", "5").to_i,
          quiet: ENV.fetch("LEDGER_QUIET", "90").to_i, what: what).run
      end
    end
  end
end

ARGV.each do |name|
  %i[worker all].each { |what| puts "| #{name} | #{what} | #{Ledger::Rivals.run(name, what)} |" }
rescue LoadError, TestSupport::Server::Missing => error
  warn "#{name}: #{error.message.lines.first}"
end
