# frozen_string_literal: true

module Raffia
  class Actor
    # Public methods of an actor's class, beyond those of {Actor}. It checks a call in the caller:
    # one of another method, or with the wrong number of arguments, never reaches the actor.
    #
    # @api private
    class Interface
      HOOKS = %i[on_start on_stop on_restart on_exit].freeze
      private_constant :HOOKS

      def self.of(klass)
        all = RactorLocal.fetch(:raffia_actor_interfaces) { {}.compare_by_identity }
        all[klass] ||= new(klass)
      end

      def initialize(klass)
        @klass = klass
        @methods = {}
      end

      def include?(name) = !method(name).nil?

      # Raises NoMethodError or ArgumentError in the caller.
      def check(core, name, arguments, keywords)
        method = @methods[name] || method(name) or raise NoMethodError.new(
          "#{@klass} has no public method #{name}", name, receiver: core.ref
        )
        method.check(arguments, keywords)
      end

      private

      # Only ever added to, so it may be read by any thread.
      def method(name)
        @methods[name] ||= (Signature.new(@klass.public_instance_method(name)) if public?(name))
      end

      def public?(name)
        return false if !@klass.public_method_defined?(name) || HOOKS.include?(name)

        !Actor.method_defined?(name) || @klass.public_instance_method(name).owner < Actor
      end

      class Signature
        def initialize(method)
          parameters = method.parameters
          @required = parameters.count { |kind,| kind == :req }
          unless parameters.any? { |kind,| kind == :rest }
            @most = @required + parameters.count { |kind,| kind == :opt }
          end
          @needed = names(parameters, :keyreq)
          @known = @needed + names(parameters, :key)
          @any = parameters.any? { |kind,| kind == :keyrest }
          # Keywords that a method without any is given become a last Hash.
          @keywords = @any || !@known.empty?
        end

        def check(arguments, keywords)
          given = arguments.size
          given += 1 if !@keywords && keywords && !keywords.empty?
          refuse(given) if given < @required || (@most && given > @most)
          check_keywords(keywords) if @keywords
        end

        private

        def names(parameters, wanted)
          parameters.filter_map { |kind, name| name if kind == wanted }
        end

        def refuse(given)
          expected = @most.nil? ? "#{@required}+" : [@required, @most].uniq.join("..")
          raise ArgumentError, "wrong number of arguments (given #{given}, expected #{expected})"
        end

        def check_keywords(keywords)
          return if keywords.nil? && @needed.empty?

          complain("missing", @needed - keywords.to_h.keys)
          complain("unknown", keywords.to_h.keys - @known) unless @any
        end

        def complain(what, names)
          return if names.empty?

          raise ArgumentError, "#{what} keyword#{"s" if names.size > 1}: " \
            "#{names.map(&:inspect).join(", ")}"
        end
      end
    end
  end
end
