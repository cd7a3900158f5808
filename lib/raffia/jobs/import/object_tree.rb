# frozen_string_literal: true

require_relative "unreadable"

module Raffia
  module Jobs
    class Import
      # Objects as JSON: text, numbers, true, false, nil and arrays are themselves, and all else is
      # a Hash with a "type". Nothing here resolves a class.
      #
      # | type | other fields |
      # |---|---|
      # | hash | pairs: arrays of key and value |
      # | symbol, time, date, datetime, decimal, bytes | value: text |
      # | range | first, last, exclusive |
      # | class | class: its name |
      # | record | class, id: a row of Active Record |
      # | object, struct | class, fields: a Hash by name |
      # | call | target, method, args: the job that `.delay` makes |
      # | yaml | value: YAML that is read when the job runs |
      module ObjectTree
        # Class of jobs whose one argument is a tree.
        JOB = "Delayed::Job"
        # Depth of objects in objects.
        DEPTH = 50
        # Types with a text only.
        SCALARS = %w[symbol time date datetime decimal bytes].freeze

        module_function

        # A payload of a job that has this tree.
        def item(tree) = {"class" => JOB, "wrapped" => title(tree), "args" => [tree]}.compact

        # Names of the classes whose objects are in a tree.
        def classes(tree)
          case tree
          when Array then tree.flat_map { |one| classes(one) }
          when Hash
            own = %w[object struct].include?(tree["type"]) ? [tree["class"]] : []
            own + children(tree).flat_map { |one| classes(one) }
          else []
          end
        end

        # Names a job for people: "Story#tell", "NewsletterJob".
        def title(tree)
          return tree["class"] unless tree["type"] == "call"

          target = tree["target"]
          return ".#{tree["method"]}" unless target.is_a?(Hash) && target["class"]

          "#{target["class"]}#{(target["type"] == "class") ? "." : "#"}#{tree["method"]}"
        end

        # Hashes with text as keys, and their values, as JSON has them. Raises {Unreadable} for what
        # JSON has not.
        def plain(tree)
          case tree
          when Array then tree.map { |one| plain(one) }
          when Hash
            unless tree["type"] == "hash"
              raise Unreadable, "its arguments have a #{tree["type"]}, which JSON does not know"
            end

            tree["pairs"].to_h { |key, value| [key, plain(value)] }
          else tree
          end
        end

        def children(tree)
          case tree["type"]
          when "hash" then tree["pairs"]
          when "range" then tree.values_at("first", "last")
          when "object", "struct" then tree["fields"].values
          when "call" then [tree["target"], *tree["args"]]
          else []
          end
        end
        private_class_method :children
      end
    end
  end
end
