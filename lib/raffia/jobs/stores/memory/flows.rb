# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Flows < Store::Flows
          needs :lock, :jobs, :enqueue

          def load_flow(claim)
            held(claim) do |flow|
              flow.status = "running" unless flow.ended?
              {**flow.to_h, "history" => flow.steps.values}
            end
          end

          def record_step(claim, step, drafts: [])
            held(claim) do |flow|
              unless flow.steps.key?(step.place)
                flow.steps[step.place] = step
                flow.state = step.value if step.kind == "publish"
                drafts.each { |draft| @enqueue.admit(draft) }
                uncharge(flow.job)
                @lock.broadcast
              end
              flow.cancelled ? :cancelling : :running
            end
          end

          def await_step(claim, step, seconds, park: true, cancellable: true)
            held(claim) do |flow|
              before = flow.steps[step.place]
              next [:done, before.value] if before&.value
              next [:cancelling] if flow.cancelled && cancellable

              at = if before
                before.at
              else
                (seconds ? now + seconds : NEVER)
              end
              step = step.with(at: at)
              if (value = outcome(flow, step))
                flow.steps[step.place] = step.with(value: value)
                uncharge(flow.job)
                next [:done, value]
              end

              flow.steps[step.place] = step
              park ? [leave(claim, flow, at)] : [:pending]
            end
          end

          def park_flow(claim, cancellable: true)
            held(claim) do |flow|
              waits = flow.steps.values.select(&:pending?)
              ready = waits.empty? || (flow.cancelled && cancellable) ||
                waits.any? { |step| step.at <= now || flow.untaken(step.signal) }
              ready ? :ready : leave(claim, flow, waits.map(&:at).min)
            end
          end

          def continue_flow(claim, payload)
            held(claim) do |flow|
              flow.steps.clear
              flow.run += 1
              move(claim, flow, "pending", :queue) { |job| job.payload = payload }
            end
          end

          def stall_flow(claim, message, seconds)
            held(claim) do |flow|
              flow.error = message
              move(claim, flow, "stuck", :scheduled, at: now + seconds)
            end
          end

          def close_flow(claim, status, result: nil, error: nil)
            held(claim) do |flow|
              wake(@jobs.flows.settle(flow, status, result, error))
              true
            end
          end

          def signal_flow(id, name, payload, key: nil)
            flow = @jobs.flows[id]
            return if flow.nil? || flow.ended?
            return false if key && flow.signals.any? { |one| one.name == name && one.key == key }

            flow.signals << FlowTable::Signal.new(name, key, payload, false)
            wake(flow) if flow.awaits?(name)
            true
          end

          def cancel_flow(id)
            flow = @jobs.flows[id]
            return false if flow.nil? || flow.ended?

            flow.cancelled = true
            wake(flow)
            @jobs.flows.children(flow).each { |child| cancel_flow(child.id) }
            true
          end

          def flow(id) = @jobs.flows[id]&.to_h

          def flow_steps(id) = @jobs.flows[id]&.steps.to_h.values

          def flows(status: nil, offset: 0, limit: 50)
            all = @jobs.flows.to_a
            all.select! { |flow| flow.status == status } if status
            (all[offset, limit] || []).map(&:to_h)
          end

          private

          def now = Time.now.to_f

          # Nil when the claim is not valid any more.
          def held(claim)
            job = @jobs.leases.job(claim) or return
            yield @jobs.flows[job.jid] || raise(Error, Store::Flows.missing(job.jid))
          end

          def uncharge(job)
            return unless job.payload.include?("\"crashes\"")

            job.payload = Store::Rewrite.uncharged(job.payload)
            job.suspect = false
          end

          # Nil: the wait goes on.
          def outcome(flow, step)
            if step.signal && (signal = flow.untaken(step.signal))
              signal.taken = true
              return "[#{signal.payload}]"
            end
            "[]" if step.at <= now
          end

          def leave(claim, flow, at)
            move(claim, flow, "waiting", :scheduled, at: at)
            :parked
          end

          def move(claim, flow, status, set, at: nil)
            job = @jobs.drop(claim)
            flow.status = status
            yield job if block_given?
            @jobs.put(job, set, at: at)
            @lock.broadcast
            true
          end

          # The flow may be nil.
          def wake(flow)
            @jobs.wake(flow) if flow
            @lock.broadcast
          end
        end
      end
    end
  end
end
