# frozen_string_literal: true

require_relative "redaction"
require_relative "explanation/flow"
require_relative "explanation/waiting"

module Raffia
  module Jobs
    # Tells why a job is not running. The parts are read one after the other, so a job that moves
    # meanwhile may be told wrongly.
    #
    #     Raffia::Jobs::Explanation.new(store).call(jid)["reasons"].first["message"]
    class Explanation
      # @param store [Store]
      def initialize(store, now: Time.now.to_f)
        @store = store
        @now = now
      end

      # @param jid [String]
      # @return [Hash, nil] "jid", "class", "set", "queue", "at", and "reasons": Hashes with
      #   "reason" (a word for programs), "message" (for people) and their data; nil for an unknown
      #   id
      def call(jid)
        entry = @store.find(jid) or return
        @entry = entry
        @item = Redaction.item(entry.item)
        {"jid" => entry.jid, "class" => Payload.class_name(@item), "set" => entry.set.name,
         "queue" => entry.queue, "at" => entry.at, "reasons" => reasons}.compact
      end

      private

      def own = @item[Payload::OWN].is_a?(Hash) ? @item[Payload::OWN] : {}

      def reasons
        case @entry.set
        when :running then [running]
        when :scheduled then flow || [due("scheduled", "it is scheduled")]
        when :retry then [due("retry", "it failed#{error}, and is tried again", **failure)]
        when :dead
          [reason("dead", "it is dead#{error}, and stays so until somebody retries it", **failure)]
        else Waiting.new(@store, @entry, @now).reasons
        end
      end

      # Nil when it is due.
      def flow
        Flow.new(@store, @entry, @now).reasons if own.key?("flow") && @entry.at > @now
      end

      def reason(name, message, **data)
        {"reason" => name, "message" => message, **data.transform_keys(&:to_s).compact}
      end

      def running
        @store.processes.each do |process|
          work = Array(process["work"]).find { |one| one.is_a?(Hash) && one["jid"] == @entry.jid }
          next unless work

          return reason("running", "it runs in #{process["identity"]}#{where(work)}",
            worker: process["identity"], on: work["on"], run_at: work["run_at"])
        end
        reason("running", "a worker has claimed it, and has not reported where it runs: it does " \
          "so with each heartbeat")
      end

      def where(work) = work["on"].to_s.empty? ? "" : " on #{work["on"]}"

      def due(name, message, **)
        seconds = (@entry.at - @now).ceil
        return reason(name, "#{message} in #{seconds} s", due_in: seconds, **) if seconds.positive?

        reason("overdue", "#{message}, due for #{-seconds} s: no worker runs that moves due jobs " \
          "to their queues", due_in: seconds, **)
      end

      def failure
        {error_class: @item["error_class"], error_message: @item["error_message"],
         retry_count: @item["retry_count"]}
      end

      def error
        found = @item.values_at("error_class", "error_message").compact.join(": ")
        found.empty? ? "" : " (#{found[0, 200]})"
      end
    end
  end
end
