# frozen_string_literal: true

require_relative "../../jobs"

module Raffia
  module Integrations
    module Rails
      # Store of an application's jobs. It is opened on first use, because applications also boot to
      # compile assets.
      #
      # @api private
      module Storage
        FILE = "sqlite:"

        module_function

        def prepare(setup, app)
          setup.default = default(app.root)
          given = app.config.raffia.store
          setup.store = given.is_a?(String) ? under(app.root, given) : given if given
        end

        def default(root)
          folder = root.join("storage")
          "#{FILE}#{(folder.directory? ? folder : root).join("raffia_#{::Rails.env}.db")}"
        end

        # Files are relative to the application's root.
        def under(root, url)
          url.start_with?(FILE) ? "#{FILE}#{root.join(url.delete_prefix(FILE))}" : url
        end
      end
    end
  end
end
