# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Files on a disk that is slow, full or broken.
      #
      # @api private
      module FileMethods
        OPEN = "File.open"
        WRITES = %i[write syswrite write_nonblock pwrite truncate fsync fdatasync].freeze
        READS = %i[read readpartial sysread pread].freeze
        CLASS_METHODS = %i[read binread write binwrite readlines foreach].freeze
        private_constant :OPEN, :WRITES, :READS, :CLASS_METHODS

        # The class methods that open a file for one call.
        module ClassMethods
          CLASS_METHODS.each do |name|
            define_method(name) do |*arguments, **options, &block|
              FileMethods.visit(OPEN, ::Errno::EMFILE)
              super(*arguments, **options, &block)
            end
          end
        end

        def self.visit(site, *errors)
          world = World.current
          return if world.nil? || world.thread_scheduler.uninterrupted?

          delay = world.faults.delay(site)
          ::Kernel.sleep(delay) if delay.positive?
          world.faults.system_call(site, *errors)
        end

        {WRITES => [::Errno::ENOSPC, ::Errno::EIO], READS => [::Errno::EIO]}
          .each do |names, errors|
            names.each do |name|
              define_method(name) do |*arguments, **options, &block|
                FileMethods.visit("File##{name}", *errors)
                super(*arguments, **options, &block)
              end
            end
          end

        def initialize(...)
          FileMethods.visit(OPEN, ::Errno::EMFILE)
          super
        end
      end
    end
  end
end
