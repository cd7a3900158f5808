# frozen_string_literal: true

require "json"
require "securerandom"
require_relative "error"

module Raffia
  module Jobs
    # A job as bytes, the same in all stores: a JSON object with the fields of Sidekiq's clients and
    # workers, and Raffia's own under "raffia". Unchanged payloads keep their bytes, because Redis
    # removes by value.
    #
    # | field | meaning |
    # |---|---|
    # | class args jid queue | what to run: the jid has 24 hexadecimal digits |
    # | retry | true (25 times), false, or a number |
    # | retry_for | seconds from the first failure on, instead of a number |
    # | created_at enqueued_at failed_at retried_at | milliseconds, or seconds as Float |
    # | retry_count error_class error_message error_backtrace | the last failure |
    # | tags dead backtrace | options |
    # | raffia | {priority expires_at timeout on unique batch limit crashes ...}, see {OWN} |
    module Payload
      # Fields under "raffia":
      #
      # * priority: Integer within 2**49, higher first within a queue, by default 0
      # * expires_at: seconds since 1970, after which it is not begun any more
      # * timeout: seconds of one run
      # * on: fibers, threads, ractors, processes
      # * unique: {"key" => String, "until" => "start" | "done" | "window", "for" => seconds,
      #   "conflict" => "skip" | "raise" | "replace"}
      # * batch: its id
      # * workflow: {"id" => String, "node" => String}: the step whose job it is
      # * callback: {"batch" => id, "event" => "success" | "complete" | "death"}: the batch whose
      #   callback it is
      # * limit: {"key" => String, "max" => Integer}: runs at a time with this key
      # * rate: {"name" => String, "key" => String, "allow" => Integer, "per" => seconds, "style" =>
      #   "window" | "bucket", "burst" => Integer, "cost" => Integer}: starts of this key
      # * fair: {"key" => String, "weight" => Numeric}: whose turn it is within its queue
      # * flow: {"class" => String, "parent" => id, "abandon" => true}: it is a durable function
      # * encrypt, redact: true, or positions from 0 up: arguments that are encrypted, see
      #   {Encryption}, or hidden from people
      # * error: the encrypted message of the last error of an encrypted job
      # * crashes: number of workers that died while it ran
      OWN = "raffia"
      # Bytes of a payload, at most.
      LIMIT = 16 * 1024 * 1024
      # Length of an id, as Sidekiq's.
      ID_BYTES = 12

      module_function

      # A new one.
      def id = SecureRandom.hex(ID_BYTES)

      # So many new ones, which costs one system call.
      def ids(count)
        digits = SecureRandom.hex(ID_BYTES * count)
        Array.new(count) { |index| digits[index * ID_BYTES * 2, ID_BYTES * 2] }
      end

      # Its bytes.
      # @raise [BadArguments] for values without JSON
      # @raise [PayloadTooLarge]
      def dump(item)
        bytes = JSON.generate(item)
        return bytes if bytes.bytesize <= LIMIT

        raise too_large(item["jid"], item["class"], bytes.bytesize)
      rescue JSON::GeneratorError, JSON::NestingError => error
        raise unwritable(item["class"], error)
      end

      # @api private
      def too_large(jid, name, size)
        PayloadTooLarge.new("job #{jid} (#{name}) has #{size} bytes, the limit is #{LIMIT}: keep " \
          "the data elsewhere, and hand the job its id")
      end

      # @api private
      def unwritable(name, error)
        BadArguments.new("job #{name} cannot be written as JSON: #{error.message}")
      end

      # @raise [BadPayload]
      def load(bytes)
        item = JSON.parse(bytes)
        complaint = if !item.is_a?(Hash)
          "a job must be a JSON object, and this is #{item.class}"
        elsif !item[OWN].nil? && !item[OWN].is_a?(Hash)
          "#{OWN} must be a JSON object, and is #{item[OWN].class}"
        end
        complaint ? raise(BadPayload.new(complaint, payload: bytes)) : item
      rescue JSON::ParserError, EncodingError => error
        raise BadPayload.new("not JSON: #{error.message[0, 200]}", payload: bytes)
      end

      # Like {load}, but {} for bytes that cannot be read.
      def fields(bytes)
        load(bytes)
      rescue BadPayload
        {}
      end

      # The class, for people: that of the job, not of Active Job's wrapper.
      def class_name(item) = (item["wrapped"] || item["class"]).to_s

      # The present time, in the unit of the time fields.
      def now = ::Process.clock_gettime(::Process::CLOCK_REALTIME, :millisecond)

      # Seconds since 1970 of a time field of any version of Sidekiq; nil: it is none.
      def time(value)
        case value
        when Float then value
        when Integer then (value >= 100_000_000_000) ? value / 1000.0 : value.to_f
        when String then Float(value, exception: false)
        end
      end
    end
  end
end

require_relative "payload/field_check"
