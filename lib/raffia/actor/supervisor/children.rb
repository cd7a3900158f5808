# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Children of a supervisor, in the order of their starts.
      #
      # @api private
      class Children
        include Enumerable

        # The spec with an id that the others do not have.
        def self.number(spec, others)
          taken = others.map(&:id)
          return spec unless taken.include?(spec.id)

          id = spec.id
          spec.with(id: (2..).lazy.map { |number| "#{id} #{number}" }
            .find { |one| !taken.include?(one) })
        end

        def initialize(strategy, children)
          @strategy = strategy
          @children = children.to_h { |child| [child.spec.id, child] }
          @last = 0
        end

        def each(&) = @children.each_value(&)

        def [](id) = @children[id]

        # The spec with an id that no child has.
        def numbered(spec)
          return spec if spec.named?

          spec.with(id: "#{spec.id} #{@last += 1}")
            .then { |one| @children.key?(one.id) ? numbered(spec) : one }
        end

        def add(child) = @children[child.spec.id] = child

        def delete(child) = @children.delete(child.spec.id)

        def affected(child)
          case @strategy
          when :one_for_one then [child]
          when :one_for_all then to_a
          else drop_while { |other| !other.equal?(child) }
          end
        end

        # Starts all, or none: then it raises StartFailed. The block says whether a child is kept,
        # to be started again.
        def start(label, &)
          each do |child|
            child.start_or_restart
          rescue Exception => error # standard:disable Lint/RescueException
            Raffia.shield { stop(&) }
            raise unless error.is_a?(StandardError)

            raise StartFailed.new("#{label} did not start, because its child " \
              "#{child.spec.id.inspect} did not: #{error.message}", child: child.spec.id)
          end
        end

        def stop = to_a.reverse_each { |child| child.terminate(yield(child)) }
      end
    end
  end
end
