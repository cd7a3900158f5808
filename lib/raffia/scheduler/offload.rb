# frozen_string_literal: true

module Raffia
  class Scheduler
    # Calls that block the thread whatever a scheduler does: they go to the offload pool, if one was handed in.
    #
    # @api private
    module Offload
      # Methods of core whose blocking operation is too short to be worth two thread switches.
      SHORT = %w[close close_read close_write].freeze
      private_constant :SHORT

      # Hook of Addrinfo.getaddrinfo and all that looks up names. libc does it, with all of its configuration.
      #
      # @param hostname [String]
      # @return [Array<String>] addresses
      # @raise [SocketError]
      def address_resolve(hostname)
        offloaded { Addrinfo.getaddrinfo(hostname, nil, nil, :STREAM).map(&:ip_address).uniq }
      end

      # Hook of Ruby 3.4 for C code that releases the lock and may run on any thread: zlib, opening and closing files,
      # IO.copy_stream.
      #
      # @param work [#call]
      # @return [void]
      def blocking_operation_wait(work)
        # In a fiber that is not blocking, the operation would ask this hook again.
        return Fiber.blocking { work.call } if @offload.nil? || short?

        offloaded_to_the_end { work.call }
        nil
      end

      # Run the block where it cannot hold up the other fibers, and wait for it in this one.
      # @return [Object] the block's value
      def offloaded(&block)
        @offload ? @offload.call(&block) : Fiber.blocking(&block)
      end

      private

      # The same for work that uses memory which dies with the wait, such as C code's arguments on the fiber's stack: an interrupt
      # calls the work off, and is raised when that has ended.
      def offloaded_to_the_end(&work)
        return Fiber.blocking(&work) unless @offload

        errand = Errand.new(&work)
        begun = false
        Engine.see_through do
          next errand.call_off || true if begun

          begun = true
          @offload.call { errand.run }
          true
        end
        errand.value
      end

      # 0 is here, 1 the hook, 2 the method of core that called it.
      def short? = SHORT.include?(caller_locations(2, 1)&.first&.base_label)
    end
  end
end
