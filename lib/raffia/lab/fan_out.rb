# frozen_string_literal: true

require "zlib"
require_relative "experiment"
require_relative "squares"
require_relative "service/slow_web"
require_relative "web/fetch"

module Raffia
  module Lab
    # A thousand HTTP calls to a slow server: how many can wait at once, and how much does a waiting
    # call cost?
    class FanOut < Experiment
      VARIANTS = %i[inline fibers threads processes fibers_in_processes fibers_in_ractors].freeze
      CALLS = 1_000
      DELAY = 50
      BYTES = 2_000
      # Inline makes one call of so many: all of them would take a minute and say nothing more.
      INLINE_SHARE = 20
      SPARE_FILES = 200

      # Makes one call, with a client of {Web::Fetch} and a delay of the server in milliseconds.
      # Returns the checksum of the answer.
      def self.call(index, client, port, delay)
        Zlib.crc32(Web::Fetch.public_send(client, "/#{delay}/#{index}/#{BYTES}", port))
      end

      # Makes the calls of one worker in fibers. Range: from, and up to but not with.
      def self.calls(range, client, port, delay)
        Raffia.run do |scope|
          Range.new(*range, true).map { |index| scope.spawn { call(index, client, port, delay) } }
            .map(&:value)
        end
      end

      def name = "fan_out"

      def title = "a thousand HTTP calls to a server that takes its time"

      def variants = VARIANTS

      def workers(variant, cores)
        case variant
        when :inline then [1]
        when :fibers then [CALLS]
        when :threads then [100]
        when :processes then [20]
        else [cores]
        end
      end

      def cpu_bound? = false

      def metric = Metric::RATE

      def params(scale) = {calls: [(CALLS * scale).round, INLINE_SHARE].max, delay: DELAY}

      def size(params) = "#{params[:calls]} calls, each answered after #{params[:delay]} ms"

      def service = :slow_web

      def needs = {nofile: CALLS + SPARE_FILES}

      def obstacles(_params) = blocked(Limits.obstacle(needs))

      def warm_up(setting)
        require "net/http"
        make(setting, 4, 0)
      end

      def perform(setting)
        params = setting.params
        calls = (setting.variant == :inline) ? FanOut.inline_calls(params) : params[:calls]
        reading = Meter.measure { make(setting, calls, params[:delay]) }
        {calls: reading.value.size, rate: calls / reading.seconds, checksums: reading.value.sum}
      end

      # Number of calls that inline makes.
      def self.inline_calls(params) = params[:calls] / INLINE_SHARE

      def verify(params, facts, report)
        calls = facts[:calls]
        {
          "each call was made" => [params[:calls], FanOut.inline_calls(params)].include?(calls),
          "each document came once" => report[:served] == calls && report[:different] == calls,
          "each came whole" => facts[:checksums] ==
            (0...calls).sum { |index| Zlib.crc32(Service::SlowWeb.document(index, BYTES)) }
        }
      end

      def extras
        [ExtraMetric.new(key: :threads),
          ExtraMetric.new(key: :processes)]
      end

      def notes(params)
        ["inline makes every #{INLINE_SHARE}th call only (#{FanOut.inline_calls(params)} of " \
          "#{params[:calls]}): one after the other, all of them would take a minute",
          "the client is Net::HTTP; in Ractors, where Ruby does not let it run, it is a plain " \
            "socket, which is less work"]
      end

      private

      # The workers of a plain strategy take one call after the other. In the other two, each worker
      # has all its calls waiting at once.
      def make(setting, calls, delay)
        strategy = setting.variant.name.delete_prefix("fibers_in_").to_sym
        arguments = [(strategy == :ractors) ? :socket : :net_http, setting.service.fetch(:port),
          delay]
        if strategy == setting.variant
          return Control.map(setting, 0...calls, Work.new(FanOut, :call, arguments))
        end
        ranges = Squares.split(calls, setting.workers)
        Control.map(setting.with(variant: strategy), ranges, Work.new(FanOut, :calls, arguments))
          .flatten
      end
    end
  end
end
