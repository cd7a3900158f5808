# frozen_string_literal: true

module Raffia
  module Jobs
    # A job to be stored.
    #
    # @!attribute [r] payload
    #   @return [String] see {Payload}
    # @!attribute [r] at
    #   @return [Float, nil] not before this time, in seconds since 1970
    # @!attribute [r] extras
    #   @return [Hash, nil] the payload's fields under "raffia"
    Draft = Data.define(:jid, :queue, :payload, :at, :extras) do
      # @param item [Hash] a whole payload; "at" becomes the time, and is not written
      # @raise [ConfigError] for extras that no store can handle
      def self.of(item)
        extras = item[Payload::OWN]
        complaint = Payload::FieldCheck.complaint(extras) if extras
        raise ConfigError, complaint if complaint

        at = item["at"]
        item = item.except("at") if at
        new(jid: item["jid"], queue: item["queue"], payload: Payload.dump(item), at: at&.to_f,
          extras: extras)
      end
    end
  end
end
