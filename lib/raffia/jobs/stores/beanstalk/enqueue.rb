# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Puts jobs, one after the other: an error leaves those before it there.
        class Enqueue < Store::Enqueue
          needs :address, :reservations

          # Priority of a job without one, in the server's numbers: 0 is the most urgent.
          PRIORITY = 65_536
          # Fields that need more than one job at a time.
          REFUSED = {"unique" => "it cannot find a job by a key",
                     "limit" => "it does not know what runs",
                     "flow" => Refusal::VALUES, "workflow" => Refusal::VALUES,
                     "rate" => Refusal::VALUES,
                     "fair" => "it orders jobs by priority and age alone",
                     "batch" => Refusal::VALUES, "callback" => Refusal::VALUES}.freeze
          private_constant :REFUSED

          def enqueue(drafts, precondition: nil)
            if precondition
              raise Unsupported.new(:precondition, "beanstalkd", Refusal::VALUES)
            end

            drafts.each { |draft| check(draft.extras) if draft.extras }
            @reservations.with { |connection| drafts.map { |draft| put(connection, draft) } }
          end

          private

          def check(extras)
            name, because = REFUSED.find { |field, _| extras[field] }
            raise Unsupported.new(name.to_sym, "beanstalkd", because) if name
          end

          def put(connection, draft)
            connection.use(@address.tube_of(draft.queue))
            word, = connection.call("put", priority(draft.extras), delay(draft.at), @address.ttr,
              body: draft.payload)
            return draft.jid if word == "INSERTED" || word == "BURIED"

            refuse(word, draft)
          end

          def priority(extras) = (PRIORITY - extras.to_h["priority"].to_i).clamp(0, 2**32 - 1)

          def delay(at) = at ? (at - Time.now.to_f).ceil.clamp(0, 2**32 - 1) : 0

          def refuse(word, draft)
            if word == "JOB_TOO_BIG"
              raise PayloadTooLarge, "job #{draft.jid} has #{draft.payload.bytesize} bytes, more " \
                "than beanstalkd takes: keep the data elsewhere, or start it with a larger -z"
            end

            raise StoreUnavailable, "#{@address.url}: beanstalkd did not take a job (#{word})"
          end
        end
      end
    end
  end
end
