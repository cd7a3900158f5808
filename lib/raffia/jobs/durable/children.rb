# frozen_string_literal: true

require_relative "value_cipher"

module Raffia
  module Jobs
    module Durable
      # Durable functions that a durable function starts.
      module Children
        # Starts another durable function, and waits for its end.
        # @param function [Class]
        # @param options [Hash] as {Job::Enqueue#set} takes them
        # @return [Object] its result
        # @raise [FlowFailed] when it has failed, or was cancelled
        def child(function, *args, **options)
          id = start_child(function, *args, **options)
          end_of = @raffia_replay.await("child", function.name, nil, signal: "child:#{id}").first
          cipher = ValueCipher.new(id, function.name)
          return cipher.reveal(end_of["result"], "result") if end_of["status"] == "done"

          raise FlowFailed.new("#{function.name} #{id} has #{end_of["status"]}: " \
            "#{cipher.reveal_error(end_of["error"])}", status: end_of["status"])
        end

        # Starts another durable function, and does not wait. It is cancelled with this one.
        # @param abandon [Boolean] whether it is not
        # @return [String] its id
        def start_child(function, *args, abandon: false, **options)
          parent = @raffia_replay.flow
          drafts = []
          @raffia_replay.perform("start", function.name, drafts: drafts) do
            item = function.set(**options).item(args)
            own = item[Payload::OWN]
            flow = {**own["flow"], "parent" => parent.id, "abandon" => abandon}
            draft = parent.client.draft({**item, Payload::OWN => {**own, "flow" => flow}})
            raise Error, "a middleware rejected #{function.name}" unless draft

            drafts << draft
            JSON.generate([draft.jid])
          end
        end
      end
    end
  end
end
