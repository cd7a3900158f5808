# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Reads and writes that may take fewer bytes than they could.
      #
      # @api private
      module StreamMethods
        READS = %i[readpartial sysread read_nonblock].freeze
        WRITES = %i[syswrite write_nonblock].freeze
        private_constant :READS, :WRITES

        # A number of bytes that a call takes instead.
        def self.bytes(count, site)
          world = World.current
          world ? world.faults.bytes(count, site) : count
        end

        # The part of the string that a call writes.
        def self.part(string, site)
          string = string.to_s
          count = bytes(string.bytesize, site)
          (count < string.bytesize) ? string.byteslice(0, count) : string
        end

        READS.each do |name|
          define_method(name) do |length, *arguments, **options|
            super(StreamMethods.bytes(length, "IO##{name}"), *arguments, **options)
          end
        end

        WRITES.each do |name|
          define_method(name) do |string, **options|
            super(StreamMethods.part(string, "IO##{name}"), **options)
          end
        end
      end
    end
  end
end
