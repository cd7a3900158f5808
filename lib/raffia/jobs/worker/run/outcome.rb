# frozen_string_literal: true

require_relative "../../durable/error"
require_relative "../../error_reporter"
require_relative "../retry_policy"

module Raffia
  module Jobs
    class Worker
      class Run
        # Tells the store how a run has ended that did not succeed.
        # @api private
        class Outcome
          # Errors that come again in each try.
          FINAL = [BadPayload, DecryptionFailed, BadResult, Durable::BadResult,
            Durable::HistoryTooLarge].freeze
          # Seconds until the next try of a job without its key: a quarter of its age.
          KEY_DELAY = 15..3600
          private_constant :KEY_DELAY

          def initialize(run, context)
            @run = run
            @claim = run.claim
            @store = context.store
            @backoff = context.backoff
            @logger = context.logger
          end

          # Its executor has no capacity: the job goes back to the front of its queue.
          def not_begun = release_claim(begun: false)

          def interrupted(begun: true)
            return release("interrupted", begun: begun) unless @run.cancelled?

            @logger.ended(@run, "cancelled")
            send_to_store("discard") { @store.discard(@claim) }
          end

          # A later run goes on, unless it was cancelled: at once when the worker stops, else after
          # the jobs that wait.
          def unfinished
            return interrupted if @run.cancelled?
            return release("postponed") if @run.stopping?

            @logger.ended(@run, "postponed")
            send_to_store("retry") { @store.retry(@claim, @claim.payload, Time.now.to_f) }
          end

          # The store has moved the job already.
          def suspended(event)
            @run.conclude
            @logger.log.info({event: event, **@run.facts})
          end

          # Another service wants a pause.
          def rate_limited(seconds)
            key = @claim.extras&.dig("rate", "key")
            @logger.ended(@run, "rate limited")
            unless key
              return send_to_store("retry") do
                @store.retry(@claim, @claim.payload, Time.now.to_f + seconds)
              end
            end

            send_to_store("close_rate") { @store.close_rate(key, seconds) }
            release_claim(begun: true)
          end

          # The job waits until this worker, or another one, has the key.
          def without_key(error)
            @logger.ended(@run, "unknown key", error: error.message)
            item = Payload.load(@claim.payload)
            age = (Payload.now - item["created_at"].to_i) / 1000.0
            item.update("error_class" => error.class.name, "error_message" => error.message)
            delay = (age / 4).clamp(KEY_DELAY) + rand(5.0)
            send_to_store("retry") do
              @store.retry(@claim, JSON.generate(item), Time.now.to_f + delay)
            end
          end

          def failed(error, seconds)
            policy = (policy(error, payload_of(error)) if @run.readable?) || unreadable(error)
            @logger.failed(@run, seconds, error, policy)
            ours = conclude(policy)
            policy.call_exhausted
            report(error, policy) if ours
          end

          private

          def release(event, begun: true)
            @logger.ended(@run, event)
            release_claim(begun: begun)
          end

          def release_claim(begun:)
            send_to_store("release") { @store.release([@claim], begun: begun) }
          end

          # The payload as it was claimed: the next try must not see what a job or a middleware did
          # to its arguments. A payload with an invalid field is not tried again.
          def payload_of(error)
            payload = @claim.payload
            payload = Store::Rewrite.uncharged(payload) if @run.progress_recorded?
            item = {"queue" => @claim.queue, **Payload.load(payload)}
            item = item.except(*Store::Rewrite::FAILURE) if @run.progress_recorded?
            (FINAL.any? { |kind| error.instance_of?(kind) }) ? item.merge("retry" => 0) : item
          end

          def policy(error, item)
            RetryPolicy.new(item, error, job_class, @logger.log)
          rescue JSON::JSONError, EncodingError, TypeError, ArgumentError, NoMethodError
            nil
          end

          # The dead job has all bytes of the payload.
          def unreadable(error)
            @run.item = {
              "class" => "(unreadable)", "args" => [@run.raw_payload], "jid" => Payload.id,
              "queue" => @claim.queue, "retry" => 0, "created_at" => Payload.now,
              "raffia" => {"bytes" => [@claim.payload].pack("m0")}
            }
            policy(error, @run.item)
          end

          def conclude(policy)
            ours = send_to_store(policy.verdict.to_s) do
              case policy.verdict
              when :retry then @store.retry(@claim, policy.payload, policy.at)
              when :bury then @store.bury(@claim, policy.payload)
              else @store.discard(@claim)
              end
            end
            @run.conclude
            @logger.ended(@run, "failure too late") unless ours # as AckBatcher has it
            ours
          end

          def report(error, policy)
            item = {"queue" => @claim.queue, **Payload.fields(policy.payload)}
            ErrorReporter.new(@logger.log).call(error, item, policy.outcome)
          end

          def send_to_store(call, &)
            @backoff.attempt(-> { @run.lost? }) { @logger.counts.time_call(call, &) }
          end

          def job_class
            Execution.job_class(@run.item["class"].to_s)
          rescue Exception # standard:disable Lint/RescueException
            nil
          end
        end
      end
    end
  end
end
