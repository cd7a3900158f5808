# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Flows by their id, and the ends of their jobs.
        # @api private
        class FlowTable
          Signal = Struct.new(:name, :key, :payload, :taken)
          Flow = Struct.new(:job, :name, :parent, :abandon, :encrypted, :run, :status, :cancelled,
            :state, :result, :error, :started_at, :ended_at, :steps, :signals) do
            def id = job.jid

            def ended? = Store::Flows::ENDED.include?(status)

            def awaits?(name)
              steps.each_value.any? { |step| step.pending? && step.signal == name }
            end

            def untaken(name) = signals.find { |signal| signal.name == name && !signal.taken }

            def to_h
              {"id" => id, "class" => name, "run" => run, "status" => status,
               "cancelled" => cancelled, "encrypted" => encrypted, "parent" => parent,
               "state" => state, "result" => result, "error" => error,
               "started_at" => started_at, "ended_at" => ended_at, "steps" => steps.size,
               "signals" => signals.reject(&:taken).map(&:name)}
            end
          end

          def initialize
            @flows = {}
          end

          def [](id) = @flows[id]

          # Newest first.
          def to_a = @flows.values.reverse

          def add(job)
            about = job.flow or return
            @flows[job.jid] = Flow.new(job, about["class"], about["parent"], about["abandon"],
              !!about["encrypted"], 1, "pending", false, nil, nil, nil, Time.now.to_f, nil, {}, [])
          end

          # Ends a flow. Returns its parent when that waits for it.
          def settle(flow, status, result = nil, error = nil)
            flow.status = status
            flow.result = result
            flow.error = error
            flow.ended_at = Time.now.to_f
            parent = @flows[flow.parent] or return
            return if parent.ended?

            name, payload = Store::Flows.child_signal(flow.id, status, result, error)
            parent.signals << Signal.new(name, nil, payload, false)
            parent if parent.awaits?(name)
          end

          # The end of a job ends its flow, see {settle}.
          def job_ended(job, how)
            flow = @flows[job.jid]
            return if flow.nil? || flow.ended?
            return settle(flow, "done") if how == :done

            settle(flow, "failed", nil, Store::Flows.failure(job.payload))
          end

          # A dead job is tried again.
          def revived(job)
            @flows[job.jid]&.then do |flow|
              flow.status = "pending"
              flow.ended_at = nil
            end
          end

          def children(flow) = @flows.values.select { |one| one.parent == flow.id && !one.abandon }

          def prune(before) = @flows.delete_if { |_, flow| flow.ended_at&.<(before) }
        end
      end
    end
  end
end
