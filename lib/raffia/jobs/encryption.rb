# frozen_string_literal: true

require_relative "payload"

module Raffia
  module Jobs
    # Encrypts arguments of jobs before they are stored, and decrypts them for `perform`. An
    # encrypted argument is {"raffia:enc" => ENVELOPE}. For an Active Job the arguments are those
    # within its serialization.
    # @api private
    module Encryption
      # Only field of an encrypted argument.
      FIELD = "raffia:enc"
      # Field under "raffia" with the encrypted message of the last error.
      ERROR = "error"

      module_function

      # The arguments of a payload, as the job's author sees them.
      def list(item)
        args = item["args"]
        return args if item["wrapped"].nil? || !args.is_a?(Array)

        inner = args.first["arguments"] if args.first.is_a?(Hash)
        inner.is_a?(Array) ? inner : args
      end

      # The payload with other arguments.
      def with_list(item, list)
        args = item["args"]
        return {**item, "args" => list} if list(item).equal?(args)

        {**item, "args" => [{**args.first, "arguments" => list}, *args.drop(1)]}
      end

      # Whether the argument is encrypted.
      def sealed?(value) = value.is_a?(Hash) && value.size == 1 && value[FIELD].is_a?(String)

      # Whether arguments of the payload are, or are to be.
      def sealed_in?(item)
        own = item[Payload::OWN]
        return true if own.is_a?(Hash) && own["encrypt"]

        list = Array(list(item))
        list.any? { |value| sealed?(value) } || (!!workflow_of(item) && WorkflowValue.in?(list))
      end

      # Id of the workflow whose step the job is, nil: it is none.
      def workflow_of(item)
        own = item[Payload::OWN]
        workflow = own["workflow"] if own.is_a?(Hash)
        workflow["id"] if workflow.is_a?(Hash)
      end

      # Encrypts the arguments that the payload's field "encrypt" names. Those that are encrypted
      # already stay as they are.
      def seal(item)
        which = item[Payload::OWN]&.[]("encrypt") or return item
        keyring = keyring_for(item)
        sealed = list(item).each_with_index.map do |value, index|
          next value if sealed?(value) || !(which == true || which.include?(index))

          {FIELD => Envelope.seal(value, keyring, item, index)}
        end
        with_list(item, sealed)
      end

      # Arguments for `perform`. Raises {UnknownKey} and {DecryptionFailed}.
      def arguments(item)
        args = list(item)
        return item["args"] unless args.is_a?(Array)

        plain = workflow_of(item).nil? && args.none? { |value| sealed?(value) }
        plain ? item["args"] : reveal(item)["args"]
      end

      # The payload with plain arguments.
      def reveal(item)
        list = list(item) or return item
        list = list.each_with_index.map do |value, index|
          sealed?(value) ? unseal(value[FIELD], item, index) : value
        end
        workflow = workflow_of(item)
        with_list(item, workflow ? WorkflowValue.unseal(list, workflow) : list)
      end

      # The payload with plain arguments, and the plain message of its last error.
      def reveal_all(item)
        error = envelopes(item)[ERROR]
        plain = reveal(item)
        return plain unless error

        {**plain, "error_message" => unseal(error, item, ERROR),
                  Payload::OWN => item[Payload::OWN].except(ERROR)}
      end

      # The plain value of an envelope of this job.
      def unseal(envelope, item, index)
        keyring = Setup.current.keyring or raise UnknownKey.new(key_id: id_of(envelope))
        Envelope.unseal(envelope, keyring, item, index)
      end

      # Fields under "raffia" that hide arguments, of a class with this name; {} when it is not
      # loaded here.
      def secrets_of(name)
        job = Object.const_get(name)
        return job.job_secrets if job.respond_to?(:job_secrets)

        Job::PayloadFields.secrets(job.respond_to?(:raffia_options) ? job.raffia_options : {})
      rescue NameError
        {}
      end

      # Id of an envelope's key.
      def id_of(envelope) = envelope.split(".", 3)[1].to_s

      # Envelopes of a payload by their index.
      def envelopes(item)
        found = Array(list(item)).each_with_index.filter_map do |value, index|
          [index, value[FIELD]] if sealed?(value)
        end.to_h
        error = item[Payload::OWN][ERROR] if item[Payload::OWN].is_a?(Hash)
        error.is_a?(String) ? found.merge(ERROR => error) : found
      end

      # Encrypts an error's message into the payload's fields under "raffia". Without the active key
      # the message is lost.
      def seal_error(item, message)
        keyring = Setup.current.keyring or return
        item[Payload::OWN] = {**item[Payload::OWN].to_h,
          ERROR => Envelope.seal(message, keyring, item, ERROR)}
      end

      # A text of a job as JSON, at a named place of the job.
      def seal_text(text, item, place)
        JSON.generate({FIELD => Envelope.seal(text, keyring_for(item), item, place)})
      end

      # The text of {seal_text}, or the given one when it is plain.
      def unseal_text(text, item, place)
        value = JSON.parse(text)
        sealed?(value) ? unseal(value[FIELD], item, place) : text
      end

      # A digest by the keys, in place of a part of the arguments that the store has to compare.
      def digest(value)
        keyring = Setup.current.keyring or raise ConfigError, missing("a digest")
        keyring.digest(value.to_s)
      end

      # For messages about an envelope.
      def describe(index)
        case index
        when Integer then "argument #{index + 1}"
        when ERROR then "the error message"
        else index
        end
      end

      # The keys of this process.
      def keyring_for(item)
        Setup.current.keyring or
          raise ConfigError, missing("the job #{Payload.class_name(item)}, with `encrypt`,")
      end

      def missing(what)
        "#{what} needs keys: set Raffia::Jobs.keys = {active: \"2026-10\", \"2026-10\" => 32 " \
          "random bytes}"
      end
    end
  end
end

require_relative "encryption/workflow_value"
