# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      module Workflow
        # Starts a node whose predecessors have ended: a job becomes a draft, an `each` one for each
        # element of its list.
        class Start
          # A step that cannot run, such as an `each` over a result that is no list.
          class Impossible < Error
          end

          # Stands for the result of a step among arguments: {REFERENCE => name}.
          REFERENCE = "raffia:result"
          # Elements of an `each`, at most.
          ELEMENTS = 100_000

          def initialize(table)
            @table = table
          end

          # Raises {Impossible}.
          def call(node)
            node.state = "active"
            node.each? ? fan_out(node) : enqueue(node)
            @table.changed(node)
          end

          private

          # Elements are written in the step that ends the list's source, so none can end before.
          def fan_out(node)
            list = list_of(node)
            item = node.plan["item"]
            undo = node.plan.slice("undo", "expires_in")
            children = list.each_with_index.map do |value, index|
              Node.of("#{node.name}[#{index}]", "job",
                {"item" => {**item, "args" => [value, *item["args"]]}, **undo},
                parent: node.name, position: index)
            end
            drafts = children.map { |child| draft(child) }
            node.missing = children.size
            node.bad = 0
            @table.record.pending += children.size
            children.zip(drafts) { |child, draft| add(child, draft) }
          end

          def add(child, draft)
            child.state = "active"
            @table.add(child, [])
            @table.enqueue(draft)
          end

          def list_of(node)
            from = node.plan["from"]
            list = result(from)
            unless list.is_a?(Array)
              kind = Encryption::WorkflowValue.sealed?(list) ? "encrypted" : list.class
              raise Impossible, "the result of #{from} is no list but #{kind}: " \
                "return_value of its job must be an Array"
            end
            return list if list.size <= ELEMENTS

            raise Impossible, "the result of #{from} has #{list.size} elements, at most " \
              "#{ELEMENTS} are allowed: hand over slices of it"
          end

          def result(name)
            node = @table.node(name) or return
            return @table.children(name).map { |child| parse(child.result) } if node.each?

            parse(node.result)
          end

          def parse(json) = json && JSON.parse(json)

          def enqueue(node) = @table.enqueue(draft(node))

          def draft(node)
            node.jid = Payload.id
            Draft.of(item(node))
          rescue PayloadTooLarge, BadArguments, JSON::NestingError => error
            raise Impossible, error.message
          end

          def item(node)
            item = node.plan["item"]
            now = Payload.now
            own = {**item[Payload::OWN].to_h,
              "workflow" => {"id" => @table.record.id, "node" => node.name,
                             "undoes" => node.plan["undoes"]}.compact}
            expires_in = node.plan["expires_in"]
            own["expires_at"] = Time.now.to_f + expires_in if expires_in
            # An error would end the operation; see {Transition#reject}.
            raises = own.dig("unique", "conflict") == "raise"
            own["unique"] = {**own["unique"], "conflict" => "skip"} if raises
            {**item, "args" => resolve(item["args"]), "jid" => node.jid, "created_at" => now,
                     "enqueued_at" => now, Payload::OWN => own}
          end

          def resolve(value)
            case value
            when Array then value.map { |one| resolve(one) }
            when Hash
              return result(value[REFERENCE]) if value.size == 1 && value.key?(REFERENCE)

              value.transform_values { |one| resolve(one) }
            else value
            end
          end
        end
      end
    end
  end
end
