# frozen_string_literal: true

module Raffia
  class Pool
    # What of Ruby's own library is known not to work in a Ractor, and what to use instead. Each entry names the constant which
    # is in its way, so an entry that a newer version of the library has put right is one no longer.
    #
    # @api private
    module RactorOffenders
      # culprit:: the constant that holds something unshareable
      # remedy:: what to do
      Offender = Data.define(:culprit, :remedy)

      HTTP = Offender.new("Net::HTTP::SSL_IVNAMES", "Make HTTP calls on: :fibers or :threads")

      ALL = {
        "Timeout.timeout" => Offender.new("Timeout::TIMEOUT_THREAD_MUTEX",
          "Use Raffia.timeout(seconds) inside of Raffia.run { }, or the timeouts that the library in question has"),
        "ERB.new" => Offender.new("ERB::NOT_GIVEN",
          "Compile the template before the call, ERB.new(text).def_method(SomeModule, \"render(item)\"), and call that method"),
        "OptionParser.new" => Offender.new("OptionParser::DefaultList", "Parse options before the call"),
        **%w[new start get get_print get_response post post_form].to_h { |name| ["Net::HTTP.#{name}", HTTP] }
      }.freeze

      # @param receiver [Module]
      # @param name [Symbol] of a method
      # @return [Offender, nil]
      def self.find(receiver, name)
        offender = ALL["#{receiver.name}.#{name}"] or return
        offender unless ::Ractor.shareable?(::Object.const_get(offender.culprit))
      rescue NameError
        nil
      end
    end
  end
end
