# frozen_string_literal: true

require "uri"
require_relative "assets"
require_relative "template"

module Raffia
  module Jobs
    class Web
      # Links and forms. Names are parameters, not parts of paths, because they may contain any
      # character.
      # @api private
      module Links
        def path(to, **query)
          query = query.reject { |_, value| value.nil? || value == "" }
          "#{request.mount}#{to}#{"?#{URI.encode_www_form(query)}" unless query.empty?}"
        end

        def asset(name) = request.mount + Assets::FILES.fetch(name).path

        def link(label, to, **query)
          Html.new(%(<a href="#{Html.escape(path(to, **query))}">#{Html.escape(label)}</a>))
        end

        def script(name)
          Html.new(%(<script src="#{Html.escape(asset(name))}" #{integrity(name)} defer></script>))
        end

        def style(name)
          Html.new(%(<link rel="stylesheet" href="#{Html.escape(asset(name))}" #{integrity(name)}>))
        end

        def hidden(**fields)
          Html.new(fields.compact.map { |name, value|
            %(<input type="hidden" name="#{name}" value="#{Html.escape(value)}">)
          }.join)
        end

        # A form with one button for one change, nil when the dashboard is read-only.
        def button(label, to, action, kind: nil, **fields)
          return if web.read_only?

          css = %( class="#{kind}") if kind
          Html.new(%(<form method="post" action="#{Html.escape(path(to))}">#{hidden(**fields)}) +
            %(<button name="action" value="#{action}"#{css}>#{Html.escape(label)}</button></form>))
        end

        private

        def integrity(name) = %(integrity="#{Assets::FILES.fetch(name).integrity}")
      end
    end
  end
end
