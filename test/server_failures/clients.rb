# frozen_string_literal: true

require "json"
require "rbconfig"

module ServerFailures
  # Processes of clients, one of each kind, and what they report.
  class Clients
    KINDS = {"kept" => 6, "new" => 2, "new_tls" => 1, "tls" => 3, "h2c" => 2, "h2" => 2}.freeze

    attr_reader :failed, :strange, :totals

    # @param ports [Hash{Boolean => Integer}] with TLS and without
    def initialize(ports, seed)
      @failed, @strange, @totals = [], [], {}
      @pipes = KINDS.map do |kind, count|
        port = ports.fetch(%w[tls new_tls h2].include?(kind))
        IO.popen([RbConfig.ruby, "-W0", File.join(__dir__, "client.rb"), kind, port.to_s,
          count.to_s, seed.to_s], "r+")
      end
      @readers = @pipes.map { |pipe| Thread.new { pipe.each_line { |line| take(line) } } }
    end

    # @return [Boolean] whether all of them run
    def run? = @readers.all?(&:alive?)

    def stop
      @pipes.each(&:close_write)
      @readers.each(&:join)
      @pipes.each(&:close)
    end

    private

    def take(line)
      fact = JSON.parse(line, symbolize_names: true)
      if fact[:total] then @totals[fact[:kind]] = fact[:total]
      else
        (fact[:strange] ? @strange : @failed) << fact
      end
    end
  end
end
