# frozen_string_literal: true

require_relative "batch"

module Raffia
  module Jobs
    class Import
      # Jobs of another gem: the contract of all sources.
      class Source
        # Name of a format => class.
        FORMATS = {"resque" => :Resque, "delayed_job" => :DelayedJob,
                   "solid_queue" => :SolidQueue, "good_job" => :GoodJob}.freeze

        # @raise [ConfigError]
        def self.open(format, url)
          name = FORMATS[format] or
            raise ConfigError, "jobs cannot be imported from #{format}: there are " \
              "#{FORMATS.keys.join(", ")}"
          require_relative "../import/#{format}"
          Import.const_get(name).new(url)
        end

        # @return [String] the address without a password
        def url = raise(NotImplementedError)

        # @return [Hash{String => Integer}] jobs by their state there; "running" ones are not taken
        def counts = raise(NotImplementedError)

        # Yields all jobs that {take} would find, in pages, and changes nothing.
        # @yieldparam records [Array<Object>]
        def each_page(size) = raise(NotImplementedError)

        # Puts jobs aside, in one step: no worker of the other gem can have them any more. A batch
        # that was not deleted comes again.
        # @return [Batch, nil]
        def take(size) = raise(NotImplementedError)

        # Forgets a batch.
        def delete(batch) = raise(NotImplementedError)

        # Closes connections.
        def close = raise(NotImplementedError)

        # @param record [Object] of a batch
        # @return [Array(Hash, String), Array(Hash, nil)] the payload, without its id, and why it is
        #   dead
        # @raise [Unreadable]
        def item(record) = raise(NotImplementedError)

        # @return [String] what the source has of a job that {item} cannot read
        def bytes(record) = raise(NotImplementedError)
      end
    end
  end
end
