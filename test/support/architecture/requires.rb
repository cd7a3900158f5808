# frozen_string_literal: true

module Architecture
  # Rules for requires: the component table, `require_relative` between our own files, and `require`
  # for the standard library only.
  class Requires < Rule
    # Parts of the standard library that are gems since Ruby 3.4 or 4.0: a bare `require "raffia"`
    # must not need them.
    GEMS_NOW = %w[abbrev base64 benchmark bigdecimal csv drb fiddle getoptlong irb logger mutex_m
      nkf observer ostruct pstore
      racc rdoc readline reline resolv-replace rinda ripper syslog tsort win32ole].freeze
    # The exception, which the gemspec declares.
    DECLARED = %w[logger].freeze
    BUILT_IN = %w[enumerator fiber rational complex thread ruby2_keywords].freeze
    # Files that load names known at run time only: any gem, and the extension of this Ruby.
    LOADERS = %w[lib/raffia/base/optional.rb lib/raffia/native.rb lib/raffia/cli/program.rb].freeze
    LIBRARY = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").freeze

    def visit_call_node(node)
      check(node) if node.receiver.nil? && node.arguments
      super
    end

    private

    def check(node)
      case node.name
      when :require_relative then relative(node, literal(node.arguments.arguments.first))
      when :require then absolute(node, node.arguments.arguments.first)
      when :autoload
        offend(node, "no autoload: it breaks inside Ractors; require_relative what is needed")
      end
    end

    # The text of a string, or of the part of it before the first interpolation: `"cli/#{name}"` is
    # in cli/ for certain.
    def literal(argument)
      case argument
      when Prism::StringNode then argument.unescaped
      when Prism::InterpolatedStringNode
        first = argument.parts.first
        first.unescaped if first.is_a?(Prism::StringNode) && first.unescaped.include?("/")
      end
    end

    def relative(node, name)
      unless name
        return offend(node, "require_relative of a computed name: begin it with the folder that " \
          "it is in")
      end
      target = File.join(File.dirname(source.path), name)
        .then { |path| File.expand_path(path, "/").delete_prefix("/") }
      to = Components.of(name.end_with?("/") ? "#{target}/" : target)
      return if source.component.nil? || Components.allowed?(source.component, to)
      offend(node, "#{source.component} requires #{to || "something outside of lib/"} (#{name}); " \
        "#{may(source.component)}")
    end

    def may(component)
      allowed = Components::MAY_REQUIRE[component]
      unless allowed
        return "and #{component} is no component of the table: add it to " \
          "test/support/architecture/components.rb with a reason"
      end
      if allowed.empty?
        "it may require the standard library only"
      else
        "it may require #{allowed.join(", ")}"
      end
    end

    def absolute(node, argument)
      unless argument.is_a?(Prism::StringNode)
        return source.in?(*LOADERS) ? nil :
          offend(node, "require of a computed name: only base/optional.rb, native.rb and what " \
            "loads the user's program do that")
      end
      name = argument.unescaped
      return if source.in?("lib/active_job/", "lib/rackup/") && name.start_with?("raffia")
      if name.match?(%r{\Araffia(/|\z)})
        return offend(node, "require \"#{name}\": our own files are required by require_relative")
      end
      unless standard?(name)
        offend(node, "require \"#{name}\" is no part of the standard library: go through " \
          "base/optional.rb")
      end
    end

    def standard?(name)
      return DECLARED.include?(name) if GEMS_NOW.include?(name.split("/").first)
      BUILT_IN.include?(name) ||
        LIBRARY.any? { |dir|
          %W[.rb .#{RbConfig::CONFIG["DLEXT"]}].any? do |suffix|
            File.exist?(File.join(dir, name + suffix))
          end
        }
    end
  end
end
